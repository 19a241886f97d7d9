import { createHash } from "node:crypto";
import { join } from "node:path";
import { NestError, UsageError, writeFileAtomic } from "@nest/kit";
import { type Document, isMap, isNode, parseDocument, visit } from "yaml";
import { OVERLAY, readConfigText, treeOf } from "./config-files.ts";
import { isTree, type Path, type Tree } from "./leaves.ts";
import { type Author, recordChanges } from "./overlay-record.ts";

/** A key of the overlay with its new value; undefined takes the key out. */
export type OverlayChange = readonly [path: Path, value: unknown];

/** The seed with the overlay laid over it: objects are merged key by key, everything else is replaced. Pure. */
export function mergeOverlay(seed: unknown, overlay: unknown): unknown {
  if (!isTree(seed) || !isTree(overlay)) return overlay ?? seed;
  const merged: Record<string, unknown> = { ...seed };
  for (const [key, value] of Object.entries(overlay)) merged[key] = mergeOverlay(seed[key], value);
  return merged;
}

/**
 * What the overlay in a data folder says; empty when there is none.
 *
 * @throws UsageError naming the file when it is no YAML.
 */
export async function readOverlay(dataFolder: string): Promise<Tree> {
  const path = join(dataFolder, OVERLAY);
  return treeOf((await readConfigText(path)) ?? "", path);
}

/** Names a state of the overlay. Pure. */
export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** The overlay while somebody changes it, and nobody else. */
export interface OverlayTurn {
  readonly text: string;
  /** Writes these changes, all or none; every other line and comment stays as it is. Durable when it returns. */
  write(changes: readonly OverlayChange[], author?: Author): Promise<void>;
}

const turns = new Map<string, Promise<unknown>>();

/** Lets `act` read and change the overlay; whoever else wants to waits until it is done. */
export function withOverlay<Result>(dataFolder: string, act: (turn: OverlayTurn) => Promise<Result>): Promise<Result> {
  const mine = async () => {
    const text = await readableText(join(dataFolder, OVERLAY));
    return act({
      text,
      async write(changes, author) {
        await writeFileAtomic(join(dataFolder, OVERLAY), changedText(text, changes));
        await recordChanges(dataFolder, changes, author);
      },
    });
  };
  const turn = (turns.get(dataFolder) ?? Promise.resolve()).then(mine, mine);
  turns.set(dataFolder, turn);
  return turn;
}

/** @throws NestError `conflict` where somebody broke the overlay by hand: a save must not take the rest of it away. */
async function readableText(path: string): Promise<string> {
  try {
    const text = (await readConfigText(path)) ?? "";
    treeOf(text, path);
    return text;
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new NestError("conflict", `nothing can be saved: ${thrown.message}`, {
      hint: `correct ${path} by hand, or take it away; until then the last good one is in force`,
    });
  }
}

/**
 * Changes keys of the overlay, all or none, and leaves every other line and comment as it is. Durable when it returns. With an
 * author the provenance view says who and when.
 */
export function changeOverlay(dataFolder: string, changes: readonly OverlayChange[], author?: Author): Promise<void> {
  return withOverlay(dataFolder, (overlay) => overlay.write(changes, author));
}

/**
 * The text of a configuration with these changes made, comments kept.
 *
 * @throws UsageError when the text is no map of keys.
 */
export function changedText(text: string, changes: readonly OverlayChange[]): string {
  const document = editable(text);
  for (const [path, value] of changes) {
    if (value === undefined) removeAt(document, path);
    else setAt(document, path, value);
  }
  return document.toString({ lineWidth: 0 });
}

/** A document whose parts can be changed one by one: what others refer to (`&name`) is written out, at the cost of comments. */
function editable(text: string): Document {
  const tree = treeOf(text, OVERLAY);
  const document = parseDocument(text);
  if (!isMap(document.contents)) return parseDocument("{}\n");
  let refersToItself = false;
  visit(document, {
    Alias: () => {
      refersToItself = true;
      return visit.BREAK;
    },
  });
  return refersToItself ? parseDocument(JSON.stringify(tree)) : document;
}

function setAt(document: Document, path: Path, value: unknown): void {
  // What stands in the way, as a section without keys does, is replaced by a map.
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = path.slice(0, depth);
    if (!isMap(document.getIn(above, true))) document.setIn(above, document.createNode({}));
  }
  const before = document.getIn(path, true);
  const comment = isNode(before) ? before.comment : undefined;
  const node = document.createNode(value);
  if (comment !== undefined && isNode(node)) node.comment = comment;
  document.setIn(path, node);
}

/** Takes a key out, and the sections above that are empty without it. */
function removeAt(document: Document, path: Path): void {
  const above = path.slice(0, -1);
  if (path.length > 1 && !isMap(document.getIn(above, true))) return;
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let depth = above.length; depth > 0; depth -= 1) {
    const section = document.getIn(path.slice(0, depth), true);
    if (isMap(section) && section.items.length === 0) document.deleteIn(path.slice(0, depth));
  }
}
