import { createHash } from "node:crypto";
import { z } from "zod";
import { treeOf } from "./config-files.ts";
import { isSame, leavesOf, type Tree } from "./leaves.ts";
import { changedText, mergeOverlay } from "./overlay.ts";

const FIRST_LINE =
  "# The configuration in force, written by the nest at each start and save. docs/operations.md says what wins.\n";
const MARK = /^# written-by-nest: (\{.*\})\n/m;

const Mark = z.object({
  version: z.string(),
  /** SHA-256 of the seed over which the overlay was laid. */
  seed: z.string(),
  /** SHA-256 of what follows the mark. */
  content: z.string(),
});

/** What a nest wrote at the top of a runtime file. */
export type Mark = z.infer<typeof Mark>;

/** Seed and overlay as one configuration file, comments kept, marked as written by the nest. Pure. */
export function runtimeText(seed: string, overlay: Tree, version: string): string {
  const content = mergedText(seed, overlay);
  const mark: Mark = { version, seed: digestOf(seed), content: digestOf(content) };
  return `${FIRST_LINE}# written-by-nest: ${JSON.stringify(mark)}\n${content}`;
}

/** The mark of a file that a nest wrote and nobody changed since; undefined for every other text. Pure. */
export function markOf(text: string): Mark | undefined {
  const found = MARK.exec(text);
  if (found === null || found.index !== FIRST_LINE.length || !text.startsWith(FIRST_LINE)) return undefined;
  try {
    const mark = Mark.parse(JSON.parse(found[1] ?? ""));
    return mark.content === digestOf(text.slice(found.index + found[0].length)) ? mark : undefined;
  } catch {
    return undefined;
  }
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function mergedText(seed: string, overlay: Tree): string {
  const changes = leavesOf(overlay).filter(([path]) => path.length > 0);
  if (changes.length === 0) return seed;
  const merged = mergeOverlay(treeOf(seed, "seed"), overlay);
  const text = changedText(seed, changes);
  // Whatever the comments are worth, the values must be right.
  return isSame(byPath(treeOf(text, "runtime")), byPath(merged)) ? text : `${JSON.stringify(merged, undefined, 2)}\n`;
}

function byPath(value: unknown): Tree {
  return Object.fromEntries(leavesOf(value).map(([path, leaf]) => [JSON.stringify(path), leaf]));
}
