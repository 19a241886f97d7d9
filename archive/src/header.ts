import { timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { damaged, unsupported, wrongKey } from "./errors.ts";
import { type ArchiveKey, deriveKey } from "./key.ts";

/**
 * Reveals text-mode damage: it contains a byte with the high bit, a carriage return with newline, and an end-of-file mark.
 */
export const MAGIC = Buffer.from([0x89, 0x4e, 0x42, 0x4b, 0x32, 0x0d, 0x0a, 0x1a]);
export const HEADER_BYTES = 88;
const VERSION = 2;
const SUITE = 1;
const SALT_AT = 16;
const COMMITMENT_AT = 48;
const CRC_AT = 80;
const SMALLEST_CHUNK = 16;
const LARGEST_CHUNK = 24;
const DEFAULT_CHUNK_LOG2 = 20;

/** How the payload is compressed. */
export type Codec = "gzip" | "zstd";
const CODECS: Readonly<Record<number, Codec>> = { 1: "gzip", 2: "zstd" };
const CODEC_NUMBERS: Readonly<Record<Codec, number>> = { gzip: 1, zstd: 2 };

/** A header with the keys derived for it. */
export interface Header {
  readonly bytes: Buffer;
  readonly codec: Codec;
  readonly chunkBytes: number;
  readonly payloadKey: Buffer;
}

export interface HeaderOptions {
  readonly key: ArchiveKey;
  /** 32 fresh random bytes, never used twice. */
  readonly salt: Uint8Array;
  readonly codec: Codec;
  readonly chunkLog2?: number;
}

/** The header of a new archive (docs/archive-format.md, Header). */
export function makeHeader(options: HeaderOptions): Header {
  const chunkLog2 = options.chunkLog2 ?? DEFAULT_CHUNK_LOG2;
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes[8] = VERSION;
  bytes[9] = SUITE;
  bytes[10] = CODEC_NUMBERS[options.codec];
  bytes[11] = chunkLog2;
  bytes.set(options.salt, SALT_AT);
  const derived = deriveKey(options.key, options.salt, bytes.subarray(0, SALT_AT));
  derived.commitment.copy(bytes, COMMITMENT_AT);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return { bytes, codec: options.codec, chunkBytes: 2 ** chunkLog2, payloadKey: derived.payloadKey };
}

/** Whether a file begins as an archive of this format; otherwise it may have the older single-shot form. */
export function hasMagic(start: Buffer): boolean {
  return start.length >= MAGIC.length && start.subarray(0, MAGIC.length).equals(MAGIC);
}

/**
 * Parses a header that begins with the magic, using the first of `keys` that fits.
 *
 * @throws NestError `archive_damaged` when it is incomplete or its CRC is wrong, `archive_unsupported` for a version, suite
 * or codec of another release, `archive_wrong_key` when none of the keys fits.
 */
export function readHeader(bytes: Buffer, keys: readonly ArchiveKey[]): Header {
  if (bytes.length < HEADER_BYTES) throw damaged(`truncated in the header, at byte ${bytes.length}`);
  if (crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32BE(CRC_AT))
    throw damaged("the header's checksum does not fit");
  if (bytes[8] !== VERSION) throw unsupported(`format version ${bytes[8]}, this release knows ${VERSION}`);
  if (bytes[9] !== SUITE) throw unsupported(`cipher suite ${bytes[9]}`);
  const codec = CODECS[bytes[10] ?? 0];
  if (codec === undefined) throw unsupported(`codec ${bytes[10]}`);
  const chunkLog2 = bytes[11] ?? 0;
  if (chunkLog2 < SMALLEST_CHUNK || chunkLog2 > LARGEST_CHUNK)
    throw damaged("the header names an impossible chunk size");
  if (bytes.readUInt32BE(12) !== 0 || bytes.readUInt32BE(84) !== 0)
    throw damaged("reserved bytes of the header are set");
  const commitment = bytes.subarray(COMMITMENT_AT, CRC_AT);
  for (const key of keys) {
    const derived = deriveKey(key, bytes.subarray(SALT_AT, COMMITMENT_AT), bytes.subarray(0, SALT_AT));
    if (timingSafeEqual(derived.commitment, commitment)) {
      return { bytes, codec, chunkBytes: 2 ** chunkLog2, payloadKey: derived.payloadKey };
    }
  }
  throw wrongKey();
}
