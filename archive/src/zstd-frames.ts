import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { damaged } from "./errors.ts";
import { MOST_MEMBER_BYTES } from "./gzip-members.ts";

const compress = promisify<Buffer, object, Buffer>(zstdCompress);
const decompress = promisify<Buffer, object, Buffer>(zstdDecompress);

/** A skippable frame of four bytes before each frame holds its length, like pzstd's; zstd ignores it. */
const SKIPPABLE = 0x184d2a50;
const HEAD_BYTES = 12;
/** Most blocks compress to less; a longer one uses a second buffer. */
const OUTPUT_BYTES = 512 * 1024;
const MOST_FRAME_BYTES = MOST_MEMBER_BYTES + 64 * 1024;

/**
 * Compresses one block as a separate zstd frame, after a skippable frame with its length. Returned in pieces, which need no
 * joining.
 */
export async function zstdFrame(block: Buffer, level: number): Promise<Buffer[]> {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 };
  const body = await compress(block, { params, chunkSize: OUTPUT_BYTES });
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(SKIPPABLE, 0);
  head.writeUInt32LE(4, 4);
  head.writeUInt32LE(body.length, 8);
  return [head, body];
}

/** Whether the stream begins with a frame that holds its length. */
export async function hasFrameLengths(stream: ByteReader): Promise<boolean> {
  return lengthIn(await stream.peek(HEAD_BYTES)) !== undefined;
}

/** Splits a stream into such frames without decompressing them. */
export async function* zstdFrames(stream: ByteReader): AsyncGenerator<Buffer> {
  while (!(await stream.atEnd())) {
    const length = lengthIn(await stream.take(HEAD_BYTES));
    if (length === undefined || length === 0 || length > MOST_FRAME_BYTES) {
      throw damaged("a compressed block has no usable length");
    }
    const frame = await stream.take(length);
    if (frame.length < length) throw damaged("a compressed block is cut");
    yield frame;
  }
}

/** Decompresses one frame, whose checksum is part of it. The result may not exceed the limit of a block. */
export async function unzstdFrame(frame: Buffer): Promise<Buffer> {
  return decompress(frame, { maxOutputLength: MOST_MEMBER_BYTES, chunkSize: 1024 * 1024 + 1024 }).catch(() => {
    throw damaged("a compressed block cannot be opened");
  });
}

function lengthIn(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES || head.readUInt32LE(0) !== SKIPPABLE || head.readUInt32LE(4) !== 4) return undefined;
  return head.readUInt32LE(8);
}
