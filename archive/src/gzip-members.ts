import { promisify } from "node:util";
import { constants, crc32, deflateRaw, inflateRaw } from "node:zlib";
import type { ByteReader } from "./byte-reader.ts";
import { damaged } from "./errors.ts";

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);
const inflate = promisify<Buffer, object, Buffer>(inflateRaw);

/** The gzip header: magic, deflate, extra field present, no time, no level, unknown system. */
const START = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]);
const HEAD_BYTES = START.length + 2 + 8;
const TAIL_BYTES = 8;
/** A member's content is at most this long, so that a reader can open several at once in bounded memory. */
export const MOST_MEMBER_BYTES = 16 * 1024 * 1024;
const MOST_SEALED_MEMBER_BYTES = MOST_MEMBER_BYTES + 64 * 1024;
const MEM_LEVEL = 9;
/** Most blocks compress to less; a longer one uses a second buffer. */
const OUTPUT_BYTES = 512 * 1024;

/**
 * Compresses one block as a separate gzip member. An extra field "NB" holds the member's length, so that a reader can find
 * the next member without decompressing this one; other gunzip programs ignore it. Returned in pieces, because joining them
 * would copy everything.
 */
export async function gzipMember(block: Buffer, level: number): Promise<Buffer[]> {
  const body = await deflate(block, { level, memLevel: MEM_LEVEL, chunkSize: OUTPUT_BYTES });
  const head = Buffer.alloc(HEAD_BYTES);
  START.copy(head);
  head.writeUInt16LE(8, START.length);
  head.write("NB", START.length + 2, "latin1");
  head.writeUInt16LE(4, START.length + 4);
  head.writeUInt32LE(HEAD_BYTES + body.length + TAIL_BYTES, START.length + 6);
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.writeUInt32LE(crc32(block), 0);
  tail.writeUInt32LE(block.length, 4);
  return [head, body, tail];
}

/** Whether the stream begins with a member that holds its length. */
export async function hasMemberLengths(stream: ByteReader): Promise<boolean> {
  return lengthIn(await stream.peek(HEAD_BYTES)) !== undefined;
}

/** Splits a stream into such members without decompressing them. */
export async function* gzipMembers(stream: ByteReader): AsyncGenerator<Buffer> {
  while (!(await stream.atEnd())) {
    const length = lengthIn(await stream.peek(HEAD_BYTES));
    if (length === undefined || length < HEAD_BYTES + TAIL_BYTES || length > MOST_SEALED_MEMBER_BYTES) {
      throw damaged("a compressed block has no usable length");
    }
    const member = await stream.take(length);
    if (member.length < length) throw damaged("a compressed block is cut");
    yield member;
  }
}

/** Decompresses one member and checks its length and checksum. */
export async function gunzipMember(member: Buffer): Promise<Buffer> {
  const expected = member.readUInt32LE(member.length - 4);
  if (expected > MOST_MEMBER_BYTES) throw damaged("a compressed block claims to be larger than any that is written");
  const body = member.subarray(HEAD_BYTES, member.length - TAIL_BYTES);
  const block = await inflate(body, {
    maxOutputLength: Math.max(expected, 1),
    chunkSize: chunkSizeFor(expected),
    finishFlush: constants.Z_FINISH,
  }).catch(() => {
    throw damaged("a compressed block cannot be opened");
  });
  if (block.length !== expected || crc32(block) !== member.readUInt32LE(member.length - TAIL_BYTES)) {
    throw damaged("a compressed block's checksum does not fit");
  }
  return block;
}

function lengthIn(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES || !head.subarray(0, 4).equals(START.subarray(0, 4))) return undefined;
  const isOurs = head.readUInt16LE(10) === 8 && head.toString("latin1", 12, 14) === "NB" && head.readUInt16LE(14) === 4;
  return isOurs ? head.readUInt32LE(16) : undefined;
}

/** The size for one output buffer that holds everything, so that zlib does not grow it in steps of 16 KiB. */
function chunkSizeFor(bytes: number): number {
  return Math.max(1024, Math.min(bytes + 1024, MOST_MEMBER_BYTES));
}
