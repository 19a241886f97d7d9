/** Terminal escape sequences: CSI, OSC (ended by BEL or ST), and the two-character ones. */
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that reorder or hide what a person reads. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Whether there is anything to take out: most texts are plain, and a look is cheaper than four replacements. */
const NOT_PLAIN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
/** White space that a single line has no place for. */
const NOT_A_LINE = /[^\S ]| {2}|^ | $/;

/** Hostile text made safe to show in a terminal or to paste into a prompt: only tab and line feed are kept of the controls. */
export function plainText(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(ESCAPES, "").replace(CONTROL, "").replace(INVISIBLE, "");
}

/** The same on a single line, white space runs folded. */
export function plainLine(text: string): string {
  const plain = plainText(text);
  return NOT_A_LINE.test(plain) ? plain.replace(/\s+/g, " ").trim() : plain;
}

/** At most `limit` bytes of UTF-8, cut between characters; `…` marks the cut. */
export function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, limit - 3));
  return `${bytes.toString("utf8").replace(/\ufffd+$/, "")}…`;
}
