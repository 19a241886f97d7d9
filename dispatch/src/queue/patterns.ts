import { Regex } from "./regex.ts";
import { writtenSize } from "./regex-size.ts";

/** Whether `*`-less wildcard patterns match anywhere (titles) or the whole string (labels, authors, models). */
export type Anchoring = "substring" | "whole";

export interface Pattern {
  readonly source: string;
  /** Size of what is stepped through for each character; 1 for wildcards. */
  readonly cost: number;
  /** In one go: only for what is matched once, where nobody waits. */
  matches(text: string): boolean;
  /** Ends with the same; each step before took a few milliseconds at most. */
  steps(text: string): Generator<void, boolean>;
}

export type PatternResult =
  | { readonly kind: "pattern"; readonly pattern: Pattern }
  | { readonly kind: "invalid"; readonly because: string };

/** At most this many patterns of this many characters (contract §4). */
export const MOST_PATTERNS = 200;
const LONGEST_PATTERN = 200;

/** No title, author, label or model is read further than this: the code host's titles end at 256. */
const LONGEST_SUBJECT = 512;

/** A regular expression takes at most its size times the text's length, in steps that others have a turn between. */
const LARGEST_REGEX = 300;
/** All patterns of one list together. */
export const LARGEST_LIST = 6000;

/**
 * Building is one call that nobody can interrupt, so what would take long is refused by how it is written, before it is
 * built. The written size is rather too large, so the program's own decides between the two.
 */
const LARGEST_WRITTEN = 2 * LARGEST_REGEX;
const MOST_UNICODE_CLASSES = 8;
const MOST_IN_RANGES = 40_000;

/**
 * Compiles one admin pattern: `/…/` is a regular expression in RE2 syntax (linear time), otherwise `*` is a wildcard in a
 * pattern for the whole text; without `*`, `anchoring` decides. Always case-insensitive.
 */
export function compilePattern(source: string, anchoring: Anchoring): PatternResult {
  if (source.trim() === "") return { kind: "invalid", because: "an empty pattern" };
  if (source.length > LONGEST_PATTERN) return { kind: "invalid", because: `longer than ${LONGEST_PATTERN} characters` };
  if (isRegex(source)) return compileRegex(source, source.slice(1, -1));
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
  // biome-ignore lint/correctness/useYield: a wildcard takes no steps worth a turn
  const steps = function* (text: string) {
    return matches(text);
  };
  return { kind: "pattern", pattern: { source, cost: 1, matches, steps } };
}

/** The same expressions come back with every save; only new ones are built. */
const built = new Map<string, PatternResult>();
const MOST_BUILT = 2000;

function compileRegex(source: string, regex: string): PatternResult {
  const result = built.get(source) ?? buildRegex(source, regex);
  // The longest unused one goes: those that a save has just checked are there when its rules are compiled.
  built.delete(source);
  built.set(source, result);
  const [oldest] = built.keys();
  if (built.size > MOST_BUILT && oldest !== undefined) built.delete(oldest);
  return result;
}

/** Whether compiling a pattern takes no time: a wildcard never does, an expression the first time. */
export function isQuick(source: string): boolean {
  return !isRegex(source) || built.has(source);
}

function isRegex(source: string): boolean {
  return source.length > 2 && source.startsWith("/") && source.endsWith("/");
}

function buildRegex(source: string, regex: string): PatternResult {
  const because = tooLarge(regex);
  if (because !== undefined) return { kind: "invalid", because };
  try {
    const compiled = new Regex(regex);
    if (compiled.size > LARGEST_REGEX) return { kind: "invalid", because: tooLong(compiled.size, LARGEST_REGEX) };
    const steps = (text: string) => compiled.search(text.slice(0, LONGEST_SUBJECT));
    return {
      kind: "pattern",
      pattern: { source, cost: compiled.size, matches: (text) => runToEnd(steps(text)), steps },
    };
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : "not a regular expression";
    return { kind: "invalid", because: because.replace(/\s+/g, " ").slice(0, LONGEST_PATTERN) };
  }
}

function tooLarge(regex: string): string | undefined {
  const { program, unicodeClasses, inRanges } = writtenSize(regex);
  if (program > LARGEST_WRITTEN) return tooLong(program, LARGEST_WRITTEN);
  if (unicodeClasses > MOST_UNICODE_CLASSES)
    return `too costly to build: ${unicodeClasses} Unicode classes, at most ${MOST_UNICODE_CLASSES}: use fewer`;
  if (inRanges > MOST_IN_RANGES)
    return `too costly to build: ranges of ${inRanges} characters, at most ${MOST_IN_RANGES}; [^…] can name the others`;
  return undefined;
}

function tooLong(size: number, most: number): string {
  return `too costly to match: its repeats and classes come to the length of ${size}, at most ${most}: use smaller repeat counts`;
}

/** Goes through all steps without a turn for anybody. */
export function runToEnd<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
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
