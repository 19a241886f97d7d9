import type { ByteSource } from "./byte-reader.ts";
import { MANIFEST_NAME } from "./manifest.ts";
import { type ArchiveContent, type ReadOptions, readArchive } from "./read-archive.ts";
import { type Place, Staging } from "./staging.ts";
import type { MemberHead } from "./tar-header.ts";

export interface ExtractOptions extends ReadOptions {
  readonly sealed: ByteSource;
  readonly destination: string;
  /** Makes the name of the private folder unique. */
  readonly random: string;
  /** Allows existing files in the destination. */
  readonly force: boolean;
  /** Extracts only the members under this path. */
  readonly path?: string;
}

/**
 * Decrypts into a directory and verifies hashes (spec: extract). No file appears in the destination before the whole archive
 * was verified, and none stays when it is not valid.
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
 * Secrets and spokes are readable by their owner alone, whatever the archive says. A hub's files keep their permissions
 * without write access for others. Folders are for their owner alone.
 */
export function extractedPlace(head: MemberHead): Place {
  const isPrivate = /^(secrets|spokes|spoke)\//.test(head.path);
  return { path: head.path, mode: isPrivate ? 0o600 : (head.mode & 0o755) | 0o600 };
}

function isWanted(path: string, only: string | undefined): boolean {
  return only === undefined || only === "" || path === MANIFEST_NAME || path === only || path.startsWith(`${only}/`);
}
