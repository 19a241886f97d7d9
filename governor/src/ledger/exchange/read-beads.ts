import { NestError } from "@nest/kit";
import type { Bead } from "@nest/protocol";
import { beadOf } from "./bead-of-issue.ts";

/** More is not read: it would not fit into a ledger. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

export interface ReadBeads {
  readonly beads: readonly Bead[];
  /** Entries that are no beads, by their place in the text, from 1. */
  readonly refused: readonly { readonly entry: number; readonly because: string }[];
}

/**
 * The beads of a text: a JSON array, an object whose `beads` is one (`beads.json`), or one JSON object a line (`issues.jsonl` of the
 * beads project). What is no bead is named and left out; deleted issues and templates are left out silently.
 *
 * @throws NestError `import_unreadable` when it is none of these.
 */
export function readBeads(text: string, now: string): ReadBeads {
  if (text.length > MOST_CHARACTERS) throw unreadable("it is larger than a ledger");
  const beads: Bead[] = [];
  const refused: { entry: number; because: string }[] = [];
  const entries = wholeOf(text) ?? linesOf(text);
  for (const [at, entry] of entries.entries()) {
    if (entry === undefined) continue;
    const read = entry === NOT_JSON ? { refused: "it is not JSON" } : beadOf(entry, now);
    if (read === undefined) continue;
    if ("refused" in read) refused.push({ entry: at + 1, because: read.refused });
    else beads.push(read);
  }
  if (beads.length === 0 && refused.length > 0) throw unreadable(`entry ${refused[0]?.entry}: ${refused[0]?.because}`);
  return { beads, refused };
}

const NOT_JSON = Symbol("not JSON");

/** The entries of a text that is one JSON value; undefined when it is not, or when it is a single bead. */
function wholeOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
    const { beads } = (value ?? {}) as { beads?: unknown };
    return Array.isArray(beads) ? beads : undefined;
  } catch {
    return undefined;
  }
}

function linesOf(text: string): unknown[] {
  return text.split("\n").map((line) => {
    if (line.trim() === "") return undefined;
    try {
      return JSON.parse(line) as unknown;
    } catch {
      return NOT_JSON;
    }
  });
}

function unreadable(because: string): NestError<"import_unreadable"> {
  return new NestError("import_unreadable", `there is nothing to import: ${because}`, {
    hint: "give a beads.json (an array, or an object with beads) or the issues.jsonl of the beads project",
  });
}
