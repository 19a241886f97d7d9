import { join } from "node:path";
import { readTextIfPresent, UsageError, writeFileAtomic } from "@nest/kit";
import { type Document, parseDocument } from "yaml";

/** The dashboard's save overlay (spec: Spoke durable state). It wins over the seed for the keys it has. */
export const OVERLAY_NAME = "nest.yaml.dashboard";

/** A key of the overlay with its new value; undefined takes the key out. */
export type OverlayChange = readonly [path: readonly string[], value: string | boolean | readonly string[] | undefined];

/** The seed with the overlay laid over it: objects are merged key by key, everything else is replaced. */
export function mergeOverlay(seed: unknown, overlay: unknown): unknown {
  if (!isObject(seed) || !isObject(overlay)) return overlay ?? seed;
  const merged: Record<string, unknown> = { ...seed };
  for (const [key, value] of Object.entries(overlay)) merged[key] = mergeOverlay(merged[key], value);
  return merged;
}

/**
 * What the overlay in a data folder says; empty when there is none.
 *
 * @throws UsageError naming the file when it is no YAML.
 */
export async function readOverlay(dataFolder: string): Promise<unknown> {
  return (await overlayDocument(dataFolder)).toJS() ?? {};
}

/** Changes keys of the overlay, all or none, and leaves every other line and comment as it is. Durable when it returns. */
export async function changeOverlay(dataFolder: string, changes: readonly OverlayChange[]): Promise<void> {
  const document = await overlayDocument(dataFolder);
  for (const [path, value] of changes) {
    if (value !== undefined) document.setIn(path, value);
    else if (document.hasIn(path)) document.deleteIn(path);
  }
  await writeFileAtomic(join(dataFolder, OVERLAY_NAME), document.toString());
}

async function overlayDocument(dataFolder: string): Promise<Document> {
  const path = join(dataFolder, OVERLAY_NAME);
  const document = parseDocument((await readTextIfPresent(path)) ?? "{}\n");
  if (document.errors.length > 0) throw new UsageError(`${path}: not valid YAML`);
  return document.contents === null ? parseDocument("{}\n") : document;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
