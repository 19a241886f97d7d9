/** Whether `*`-less wildcard patterns match anywhere (titles) or the whole string (labels, authors, models). */
export type Anchoring = "substring" | "whole";

/** At most this many patterns of this many characters. */
export const MOST_PATTERNS = 200;
const LONGEST_PATTERN = 200;

/** No title, author, label or model is read further than this: the code host's titles end at 256. */
const LONGEST_SUBJECT = 512;

/** Why a pattern is refused by its length alone; undefined when it is not. */
export function refusedUnread(source: string): string | undefined {
  if (source.trim() === "") return "an empty pattern";
  return source.length > LONGEST_PATTERN ? `longer than ${LONGEST_PATTERN} characters` : undefined;
}

/** `/…/` is a regular expression in RE2 syntax (linear time); everything else is a wildcard pattern. */
export function isExpression(source: string): boolean {
  return source.length > 2 && source.startsWith("/") && source.endsWith("/");
}

/** As much of a text as patterns get to see. */
export function subjectOf(text: string): string {
  return text.slice(0, LONGEST_SUBJECT);
}

/**
 * What matches a wildcard pattern: with `*` the whole text, without it `anchoring` decides. Always case-insensitive, in time
 * linear to the text.
 */
export function wildcard(source: string, anchoring: Anchoring): (text: string) => boolean {
  const wanted = source.toLowerCase();
  if (wanted.includes("*")) {
    const parts = wanted.split("*");
    return (text) => matchesParts(subjectOf(text).toLowerCase(), parts);
  }
  return anchoring === "whole"
    ? (text) => subjectOf(text).toLowerCase() === wanted
    : (text) => subjectOf(text).toLowerCase().includes(wanted);
}

/** Matches the pieces between wildcards from left to right; each piece is looked for once, so time is linear. */
function matchesParts(text: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return from <= end;
}
