import { sealChunks } from "./chunks.ts";
import { compressBlocks, DEFAULT_LEVEL } from "./codec.ts";
import { type Codec, makeHeader } from "./header.ts";
import type { ArchiveKey } from "./key.ts";
import { MANIFEST_NAME, type Manifest, manifestText, type StoredFile } from "./manifest.ts";
import { BlockPool, type Member, tarBlocks } from "./tar-writer.ts";

export interface ArchivePlan {
  readonly key: ArchiveKey;
  /** 32 fresh random bytes. An interrupted archive is started again with another salt. */
  readonly salt: Uint8Array;
  readonly codec?: Codec;
  readonly level?: number;
  readonly chunkLog2?: number;
  /** The files, in the order of storage; sorted by path, equal input gives equal plaintext. */
  readonly members: AsyncIterable<Member>;
  /** Called after all members are stored, with a row for each. The manifest is the last member, so it is complete. */
  manifest(files: readonly StoredFile[]): Manifest;
  /** Called after each member with the totals so far. */
  progress?(soFar: { readonly files: number; readonly bytes: number }): void;
  readonly signal?: AbortSignal;
}

/**
 * Produces an encrypted archive in constant memory: it reads only as much as the consumer asks for. Throws when a member
 * fails or the signal aborts; the bytes produced until then never open as an archive.
 */
export function writeArchive(plan: ArchivePlan): AsyncGenerator<Buffer> {
  const codec = plan.codec ?? "gzip";
  const header = makeHeader({
    key: plan.key,
    salt: plan.salt,
    codec,
    ...(plan.chunkLog2 === undefined ? {} : { chunkLog2: plan.chunkLog2 }),
  });
  const files: StoredFile[] = [];
  let bytes = 0;
  const pool = new BlockPool();
  const blocks = tarBlocks(withManifest(plan, files), pool, (file) => {
    if (file.path === MANIFEST_NAME) return;
    files.push(file);
    bytes += file.size;
    plan.progress?.({ files: files.length, bytes });
  });
  const compressed = compressBlocks(stoppable(blocks, plan.signal), {
    codec,
    level: plan.level ?? DEFAULT_LEVEL[codec],
    done: (block) => pool.give(block),
  });
  return sealChunks(compressed, header);
}

async function* withManifest(plan: ArchivePlan, files: readonly StoredFile[]): AsyncGenerator<Member> {
  yield* plan.members;
  const manifest = plan.manifest(files);
  const text = Buffer.from(manifestText(manifest), "utf8");
  const created = Date.parse(manifest.created_at);
  const mtime = Number.isNaN(created) ? 0 : Math.floor(created / 1000);
  yield { path: MANIFEST_NAME, mode: 0o644, mtime, size: text.length, content: [text] };
}

async function* stoppable<Piece>(pieces: AsyncIterable<Piece>, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    yield piece;
  }
}
