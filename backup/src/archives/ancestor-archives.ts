import { type ArchiveContent, type ArchiveKey, timeOfAncestorArchive } from "@nest/archive";
import type { BackupDeps } from "../deps/deps.ts";
import { type BlobRow, type Blobs, listed } from "../storage/blobs.ts";
import { checkArchive } from "./archive-source.ts";
import { isMadeAt, madeAt } from "./stored-archives.ts";

/**
 * Archives that the ancestor of this product left in the storage. They can be listed, verified and restored; they are nobody's of
 * ours, so they are never pruned, never marked, and count for no alarm and no comparison.
 */
export interface AncestorArchive extends BlobRow {
  /** The time in its name. */
  readonly stampedAt: number;
  readonly kind: "hub" | "spoke";
}

/** The objects with the ancestor's names, newest first. */
export async function ancestorArchives(blobs: Blobs, signal: AbortSignal): Promise<AncestorArchive[]> {
  const rows = await listed(blobs, "hive-", signal);
  const found = rows.flatMap((row) => {
    const named = timeOfAncestorArchive(row.name);
    return named === undefined ? [] : [{ ...row, kind: named.kind, stampedAt: named.at }];
  });
  return found.sort((one, other) => madeAt(other) - madeAt(one) || (one.name < other.name ? 1 : -1));
}

/** Reads one of them whole and checks it. `misnamed`: it is good, and its name says another time or kind. Throws when it is not valid. */
export async function verifyAncestor(
  deps: BackupDeps,
  blobs: Blobs,
  { name, key }: { readonly name: string; readonly key: ArchiveKey },
): Promise<{ readonly content: ArchiveContent; readonly misnamed: string | undefined }> {
  const content = await checkArchive(deps, blobs.get(name, deps.signal), key);
  const named = timeOfAncestorArchive(name);
  const isSpoke = content.manifest.files.some(({ path }) => path.startsWith("spoke/"));
  const { created_at } = content.manifest;
  const isOwn = named !== undefined && isSpoke === (named.kind === "spoke") && isMadeAt(named.at, created_at);
  const misnamed = `${name} is a good archive made ${created_at}, and stands under a name that is not its own`;
  return { content, misnamed: isOwn ? undefined : misnamed };
}
