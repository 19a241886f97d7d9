import { promisify } from "node:util";
import { constants, deflateRaw, deflateRawSync } from "node:zlib";

/** The beginning of a gzip stream (RFC 1952 §2.3): deflate, no name, no time, any system. */
export const GZIP_START = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Below this nothing is won. */
const WORTH_IT_BYTES = 512;
const MOST_STORED_BYTES = 0xffff;
/** Fast, and with little memory: the texts repeat themselves at short distances. It ends at a byte, with nothing held back. */
const OPTIONS = { level: 1, windowBits: 13, memLevel: 6, finishFlush: constants.Z_SYNC_FLUSH };

const deflate = promisify(deflateRaw);

/**
 * A text as the next part of a gzip stream that has no end. It refers to no other part, so the same bytes are sent to everybody who reads
 * such a stream, whatever they were sent before.
 */
export function packedPart(text: Buffer): Buffer {
  return text.length < WORTH_IT_BYTES ? stored(text) : deflateRawSync(text, OPTIONS);
}

/** The same of a long text, made on another thread. */
export async function packedPartOfLong(text: Buffer): Promise<Buffer> {
  return text.length < WORTH_IT_BYTES ? stored(text) : deflate(text, OPTIONS);
}

/** A block that is not compressed and not the last one (RFC 1951 §3.2.4). */
function stored(text: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(text.length, 1);
  head.writeUInt16LE(MOST_STORED_BYTES - text.length, 3);
  return Buffer.concat([head, text]);
}
