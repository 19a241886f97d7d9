import { stat } from "node:fs/promises";
import { UsageError } from "@nest/kit";

/**
 * Reads `contributor.env`: `KEY=` and then the rest of the line literally, one outer pair of quotes removed; blank lines and
 * `#` lines are skipped. The file is never executed, and nothing in it is expanded.
 *
 * @throws UsageError with one line per fault: file and line number, never the content.
 */
export function parseContributorEnv(text: string, file: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = Object.create(null);
  const faults: string[] = [];
  for (const [index, raw] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line);
    if (match === null) faults.push(`${file}:${index + 1}: not a KEY=VALUE line${hintFor(line)}`);
    else values[match[1] ?? ""] = unquoted(match[2] ?? "");
  }
  if (faults.length > 0) throw new UsageError(faults[0] ?? "", { faults });
  return values;
}

/** What people write who take the file for a script. */
function hintFor(line: string): string {
  return /^\s*export\s/.test(line) ? ": leave out the word export; the file is read, not run" : "";
}

/** What to tell of a file that others on this machine can read, tokens and all; undefined where it is its owner's alone, or absent. */
export async function exposureOf(file: string): Promise<string | undefined> {
  const mode = await stat(file).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & 0o077) === 0 ? undefined : `other users of this machine may read your tokens: chmod 600 ${file}`;
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
