import type { ByteSource } from "./byte-reader.ts";
import { MANIFEST_NAME } from "./manifest.ts";
import { type ArchiveContent, type ReadOptions, readArchive } from "./read-archive.ts";
import { type Place, Staging } from "./staging.ts";
import type { MemberHead } from "./tar-header.ts";

export interface ExtractOptions extends ReadOptions {
  readonly sealed: ByteSource;
  readonly destination: string;
  /** Makes the private folder's name its own. */
  readonly random: string;
  /** Write between files that are there already. */
  readonly force: boolean;
  /** Only what is under this path. */
  readonly path?: string;
}

/**
 * Decrypts into a directory and verifies hashes (spec: extract). Nothing is visible under the destination before the whole archive
 * was found good; nothing is left when it is not.
 */
export async function extractArchive(options: ExtractOptions): Promise<ArchiveContent & { readonly written: number }> {
  const only = options.path?.replace(/\/+$/, "");
  await using staging = await Staging.begin({
    destination: options.destination,
    random: options.random,
    merge: options.force,
    place: (head) => (isWanted(head.path, only) ? extractedPlace(head) : undefined),
  });
  const content = await readArchive(options.sealed, options, staging);
  await staging.publish();
  return { ...content, written: staging.files.filter((path) => path !== MANIFEST_NAME).length };
}

/**
 * Secrets and spokes are private whatever the archive says; a hub's files keep their permissions, but nothing becomes writable for
 * others. Folders are their owner's alone.
 */
export function extractedPlace(head: MemberHead): Place {
  const isPrivate = /^(secrets|spokes|spoke)\//.test(head.path);
  return { path: head.path, mode: isPrivate ? 0o600 : (head.mode & 0o755) | 0o600 };
}

function isWanted(path: string, only: string | undefined): boolean {
  return only === undefined || only === "" || path === MANIFEST_NAME || path === only || path.startsWith(`${only}/`);
}
