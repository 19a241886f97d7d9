import { plainLine, UsageError } from "@nest/kit";
import { USAGE } from "./usage.ts";
import type { VerbCall } from "./verb.ts";

const GAP = "  ";
const WIDEST = 72;

/**
 * Rows as a table for a terminal; long cells are cut, the last one of a row only where it is not to be whole. What comes from a hub is
 * made plain: it cannot steer a terminal.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
  { isLastWhole = false }: { readonly isLastWhole?: boolean } = {},
): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell, at) => {
      const text = plainLine(String(cell ?? ""));
      return isLastWhole && at === head.length - 1 ? text : cut(text);
    }),
  );
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** What is known of one thing, a line each and whole: whoever asks for one thing wants to read its reason to the end. */
export function facts(all: readonly (readonly [string, string | undefined])[]): string {
  const known = all.filter(([, value]) => value !== undefined);
  const widest = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value = ""]) => `${`${name.padEnd(widest)}${GAP}${plainLine(value)}`.trimEnd()}\n`).join("");
}

/** Prints a value as JSON where that was asked for, else as `text` makes it. */
export function show(call: VerbCall, value: unknown, text: () => string): void {
  call.print(call.flags.json === true ? `${jsonOf(value)}\n` : text());
}

/** The words that a command needs, at least one. @throws UsageError */
export function someWords({ words }: VerbCall, what: string): readonly [string, ...string[]] {
  const [first, ...rest] = words;
  if (first === undefined) throw new UsageError(`which ${what}?`, { usage: USAGE });
  return [first, ...rest];
}

/** The one word that a command needs. @throws UsageError */
export function oneWord(call: VerbCall, what: string): string {
  const [first, second] = someWords(call, what);
  if (second !== undefined) throw new UsageError(`unknown argument ${second}`, { usage: USAGE });
  return first;
}

/** @throws UsageError for arguments after a command that takes none. */
export function noWords({ words: [first] }: VerbCall): void {
  if (first !== undefined) throw new UsageError(`unknown argument ${first}`, { usage: USAGE });
}

function cut(text: string): string {
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text;
}

/** JSON in which nothing steers a terminal: JSON itself leaves the upper control characters and the marks of direction as they are. */
function jsonOf(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, undefined, 2).replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, escaped);
}
