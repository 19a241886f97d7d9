/** Terminal escape sequences: CSI, OSC (ended by BEL or ST), and the two-character ones. */
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Characters that make a text look different to a person than to a program: direction marks, zero-width characters, fillers,
 * tags and variation selectors. The two zero-width joiners stay, because some scripts and emoji need them.
 */
const INVISIBLE =
  /[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Matches a text that needs cleaning. Most texts do not, and this one test is cheaper than four replacements. */
const NOT_PLAIN =
  /[\u034f\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** White space that a clean single line does not have: anything but single spaces between words. */
const NOT_A_LINE = /[^\S ]| {2}|^ | $/;

/** Makes hostile text safe for a terminal or a prompt: of all control characters only tab and line feed stay. */
export function plainText(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(ESCAPES, "").replace(CONTROL, "").replace(INVISIBLE, "");
}

/** The same, on a single line: each run of white space becomes one space. */
export function plainLine(text: string): string {
  const plain = plainText(text);
  return NOT_A_LINE.test(plain) ? plain.replace(/\s+/g, " ").trim() : plain;
}

/**
 * A page's text as an agent may read it. Besides what {@link plainText} removes, it removes what people do not see on the page
 * (HTML comments, joiners) and puts a mark where a comment was: nobody shall instruct an agent with text that people cannot
 * see.
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
