import { RE2JS } from "re2js";

/** Whether `*`-less wildcard patterns match anywhere (titles) or the whole string (labels, authors, models). */
export type Anchoring = "substring" | "whole";

export interface Pattern {
  readonly source: string;
  matches(text: string): boolean;
}

export type PatternResult =
  | { readonly kind: "pattern"; readonly pattern: Pattern }
  | { readonly kind: "invalid"; readonly because: string };

/** At most this many patterns of this many characters (contract §4). */
export const MOST_PATTERNS = 200;
export const LONGEST_PATTERN = 200;

/** No title, author, label or model is read further than this: time stays linear and short. */
const LONGEST_SUBJECT = 1024;

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
    return { kind: "pattern", pattern: { source, matches: (text) => matchesParts(fold(text), parts) } };
  }
  const matches =
    anchoring === "whole" ? (text: string) => fold(text) === wanted : (text: string) => fold(text).includes(wanted);
  return { kind: "pattern", pattern: { source, matches } };
}

function compileRegex(source: string, regex: string): PatternResult {
  try {
    const compiled = RE2JS.compile(regex, RE2JS.CASE_INSENSITIVE);
    return {
      kind: "pattern",
      pattern: { source, matches: (text) => compiled.matcher(text.slice(0, LONGEST_SUBJECT)).find() },
    };
  } catch (thrown) {
    const because = thrown instanceof Error ? thrown.message : "not a regular expression";
    return { kind: "invalid", because: because.replace(/\s+/g, " ").slice(0, LONGEST_PATTERN) };
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
