import { RE2JS } from "re2js";

/** Whether `*`-less wildcard patterns match anywhere (titles) or the whole string (labels, authors, models). */
export type Anchoring = "substring" | "whole";

export interface Pattern {
  readonly source: string;
  /** A regular expression: each match takes long enough that a loop over many should breathe between them. */
  readonly isRegex: boolean;
  /** Size of what is stepped through for each character; 1 for wildcards. */
  readonly cost: number;
  matches(text: string): boolean;
}

export type PatternResult =
  | { readonly kind: "pattern"; readonly pattern: Pattern }
  | { readonly kind: "invalid"; readonly because: string };

/** At most this many patterns of this many characters (contract §4). */
export const MOST_PATTERNS = 200;
const LONGEST_PATTERN = 200;

/** No title, author, label or model is read further than this: the code host's titles end at 256. */
const LONGEST_SUBJECT = 512;

/**
 * A regular expression takes at most its size times the text's length; this size keeps one match well under 10 ms. Written
 * repeats are added up first, because only building a huge one would already take too long.
 */
const LARGEST_REGEX = 300;
/** All patterns of one list together: a connecting relay's model is held against every one in a single turn of the loop. */
export const LARGEST_LIST = 6000;
const UNICODE_CLASS = 30;
const TOO_COSTLY = "too costly to match: use smaller repeat counts";

/**
 * Compiles one admin pattern: `/…/` is a regular expression in RE2 syntax (linear time), otherwise `*` is a wildcard in a
 * pattern for the whole text; without `*`, `anchoring` decides. Always case-insensitive.
 */
export function compilePattern(source: string, anchoring: Anchoring): PatternResult {
  if (source.trim() === "") return { kind: "invalid", because: "an empty pattern" };
  if (source.length > LONGEST_PATTERN) return { kind: "invalid", because: `longer than ${LONGEST_PATTERN} characters` };
  const regex = /^\/(.+)\/$/s.exec(source)?.[1];
  if (regex !== undefined) return compileRegex(source, regex);
  const wanted = source.toLowerCase();
  if (wanted.includes("*")) {
    const parts = wanted.split("*");
    return pattern(source, (text) => matchesParts(fold(text), parts));
  }
  return pattern(
    source,
    anchoring === "whole" ? (text) => fold(text) === wanted : (text) => fold(text).includes(wanted),
  );
}

function pattern(source: string, matches: (text: string) => boolean): PatternResult {
  return { kind: "pattern", pattern: { source, isRegex: false, cost: 1, matches } };
}

/** The same expressions come back with every save; only new ones are built. */
const built = new Map<string, PatternResult>();
const MOST_BUILT = 2000;

function compileRegex(source: string, regex: string): PatternResult {
  const known = built.get(source);
  if (known !== undefined) return known;
  const result = buildRegex(source, regex);
  if (built.size >= MOST_BUILT) built.clear();
  built.set(source, result);
  return result;
}

function buildRegex(source: string, regex: string): PatternResult {
  if (writtenSize(regex) > LARGEST_REGEX) return { kind: "invalid", because: TOO_COSTLY };
  try {
    const compiled = RE2JS.compile(regex, RE2JS.CASE_INSENSITIVE);
    const cost = compiled.programSize();
    if (cost > LARGEST_REGEX) return { kind: "invalid", because: TOO_COSTLY };
    const matches = (text: string) => compiled.matcher(text.slice(0, LONGEST_SUBJECT)).find();
    return { kind: "pattern", pattern: { source, isRegex: true, cost, matches } };
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : "not a regular expression";
    return { kind: "invalid", because: because.replace(/\s+/g, " ").slice(0, LONGEST_PATTERN) };
  }
}

/** What the repeats as written come to at least, each by its larger bound. */
function writtenSize(regex: string): number {
  // A class of Unicode names thousands of characters; building it takes time for each.
  let size = regex.length + UNICODE_CLASS * (regex.match(/\\[pP]/g)?.length ?? 0);
  for (const [, least, most] of regex.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g))
    size += Math.max(Number(least), Number(most ?? 0));
  return size;
}

function fold(text: string): string {
  return text.slice(0, LONGEST_SUBJECT).toLowerCase();
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
