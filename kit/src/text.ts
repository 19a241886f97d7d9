/** Terminal escape sequences: CSI, OSC (ended by BEL or ST), and the two-character ones. */
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Characters that reorder or hide what a person reads, or that a person does not see and a program does: directions, zero
 * widths, fillers, tags and their variations. The two joiners stay, which scripts and emoji need.
 */
const INVISIBLE =
  /[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Whether there is anything to take out: most texts are plain, and a look is cheaper than four replacements. */
const NOT_PLAIN =
  /[\u034f\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
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

/**
 * Text as an agent may read it that people see on a page: besides {@link plainText}, what the page does not show is taken out
 * (HTML comments, joiners), and a mark says where a comment was.
 */
export function shownText(text: string): string {
  return plainText(text)
    .replace(/\u200c|\u200d|[\ufe00-\ufe0f]/g, "")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "[hidden comment left out]");
}

/** At most `limit` bytes of UTF-8, cut between characters; `…` marks the cut. */
export function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, limit - 3));
  return `${bytes.toString("utf8").replace(/\ufffd+$/, "")}…`;
}
