import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { damaged, hostile } from "./errors.ts";
import { gunzipMember, gzipMember, gzipMembers, hasMemberLengths } from "./gzip-members.ts";
import type { Codec } from "./header.ts";
import { inOrder } from "./in-order.ts";
import { hasFrameLengths, unzstdFrame, zstdFrame, zstdFrames } from "./zstd-frames.ts";

/**
 * How many blocks are compressed or decompressed at once: enough for the processors and the four threads of the pool, without
 * much memory.
 */
const AT_ONCE = Math.min(4, availableParallelism() + 1);
/**
 * Compared with the usual level 6, gzip level 2 is three times as fast for a sixth more bytes; levels 3 and 4 take half as
 * long again for little gain.
 */
export const DEFAULT_LEVEL: Readonly<Record<Codec, number>> = { gzip: 2, zstd: 3 };
/**
 * Refuses a higher ratio in a single stream of another writer: real content never reaches it, a bomb does. Our own blocks may
 * exceed it, as with a file of zeros, because the size of each block is limited.
 */
const MOST_STREAM_RATIO = 500;
const RATIO_FREE_BYTES = 64 * 1024 * 1024;
const STREAM_CHUNK_BYTES = 1024 * 1024;

/**
 * Compresses blocks in parallel on the thread pool, each separately, and yields them in order. Calls `done` with each block
 * after it was read.
 */
export async function* compressBlocks(
  blocks: AsyncIterable<Buffer>,
  how: { readonly codec: Codec; readonly level: number; done(block: Buffer): void },
): AsyncGenerator<Buffer> {
  const one = how.codec === "gzip" ? gzipMember : zstdFrame;
  const compressed = inOrder(blocks, AT_ONCE, async (block) => {
    const pieces = await one(block, how.level);
    how.done(block);
    return pieces;
  });
  for await (const pieces of compressed) yield* pieces;
}

/**
 * Decompresses a payload: in parallel if its blocks hold their lengths, else as one stream (other writers, the older form).
 *
 * @throws NestError `archive_damaged` when it cannot be decompressed, `archive_hostile` when a single stream grows like a
 * bomb.
 */
export async function* decompress(stream: ByteReader, codec: Codec): AsyncGenerator<Buffer> {
  if (codec === "gzip" && (await hasMemberLengths(stream))) {
    yield* inOrder(gzipMembers(stream), AT_ONCE, gunzipMember);
  } else if (codec === "zstd" && (await hasFrameLengths(stream))) {
    yield* inOrder(zstdFrames(stream), AT_ONCE, unzstdFrame);
  } else yield* bounded(stream, codec);
}

async function* bounded(stream: ByteReader, codec: Codec): AsyncGenerator<Buffer> {
  let compressed = 0;
  let plain = 0;
  const counted = async function* () {
    for await (const piece of stream.rest()) {
      compressed += piece.length;
      yield piece as Buffer;
    }
  };
  for await (const block of asOneStream(counted(), codec)) {
    plain += block.length;
    if (plain > RATIO_FREE_BYTES && plain > compressed * MOST_STREAM_RATIO) {
      throw hostile("it expands far beyond what real content does");
    }
    yield block;
  }
}

async function* asOneStream(pieces: AsyncIterable<Buffer>, codec: Codec): AsyncGenerator<Buffer> {
  const opener =
    codec === "gzip"
      ? createGunzip({ chunkSize: STREAM_CHUNK_BYTES })
      : createZstdDecompress({ chunkSize: STREAM_CHUNK_BYTES });
  const source = Readable.from(pieces, { objectMode: false, highWaterMark: STREAM_CHUNK_BYTES });
  const failed: { thrown?: unknown } = {};
  source.on("error", (thrown) => {
    failed.thrown = thrown;
    opener.destroy();
  });
  source.pipe(opener);
  try {
    for await (const block of opener) yield block as Buffer;
  } catch (thrown) {
    throw failed.thrown ?? (isZlibFault(thrown) ? damaged("the compressed content cannot be opened") : thrown);
  } finally {
    source.destroy();
    opener.destroy();
    if (!source.closed) await once(source, "close").catch(() => {});
  }
  if (failed.thrown !== undefined) throw failed.thrown;
}

function isZlibFault(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "";
  return code.startsWith("Z_") || code.startsWith("ZSTD_") || code.startsWith("ERR_");
}
