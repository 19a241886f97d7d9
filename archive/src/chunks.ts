import { createCipheriv, createDecipheriv } from "node:crypto";
import { type ByteReader, type ByteSource, ByteReader as Reader } from "./byte-reader.ts";
import { damaged, tooLarge } from "./errors.ts";
import { HEADER_BYTES, type Header } from "./header.ts";

export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const ALGORITHM = "aes-256-gcm";
/** Far below the cipher's limits; 4 PiB at the default chunk size. */
const MOST_CHUNKS = 2 ** 32;

/**
 * Encrypts a payload: the header, then one AES-256-GCM message per chunk, with the last one flagged (docs/archive-format.md,
 * Chunks). Keeps one chunk in memory, and reads more only when the consumer asks for it.
 */
export async function* sealChunks(payload: ByteSource, header: Header): AsyncGenerator<Buffer> {
  yield header.bytes;
  const reader = new Reader(payload);
  const buffer = Buffer.allocUnsafeSlow(header.chunkBytes);
  try {
    for (let number = 0; ; number += 1) {
      if (number >= MOST_CHUNKS) throw tooLarge("the archive has more chunks than the format allows");
      const plain = await reader.takeInto(buffer);
      const final = await reader.atEnd();
      const cipher = createCipheriv(ALGORITHM, header.payloadKey, nonceOf(number, final), { authTagLength: TAG_BYTES });
      cipher.setAAD(header.bytes);
      const sealed = cipher.update(plain);
      cipher.final();
      yield sealed;
      yield cipher.getAuthTag();
      if (final) return;
    }
  } finally {
    await reader.close();
  }
}

/**
 * Decrypts what {@link sealChunks} made, after the header. Yields no byte before the tag of its chunk was checked.
 *
 * @throws NestError `archive_damaged` naming the chunk and byte, and the kind of damage if it can be known.
 */
export async function* openChunks(sealed: ByteReader, header: Header): AsyncGenerator<Buffer> {
  let at = HEADER_BYTES;
  const buffer = Buffer.allocUnsafeSlow(header.chunkBytes + TAG_BYTES);
  for (let number = 0; number < MOST_CHUNKS; number += 1) {
    const chunk = await sealed.takeInto(buffer);
    const final = await sealed.atEnd();
    const where = `chunk ${number}, byte ${at + chunk.length}`;
    if (chunk.length <= TAG_BYTES) throw damaged(`truncated at ${where}`);
    const plain = openChunk(chunk, header, nonceOf(number, final));
    if (plain === undefined) throw damaged(whatHappened(chunk, header, { number, final, where }));
    yield plain;
    if (final) return;
    at += chunk.length;
  }
  throw damaged("it goes on after the last chunk that the format allows");
}

function whatHappened(
  chunk: Buffer,
  header: Header,
  place: { readonly number: number; readonly final: boolean; readonly where: string },
): string {
  if (openChunk(chunk, header, nonceOf(place.number, !place.final)) !== undefined) {
    return place.final ? `truncated at ${place.where}` : `something follows its end at ${place.where}`;
  }
  return place.final ? `truncated or changed in chunk ${place.number}` : `changed in chunk ${place.number}`;
}

function openChunk(chunk: Buffer, header: Header, nonce: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(ALGORITHM, header.payloadKey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(header.bytes);
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG_BYTES));
  const plain = decipher.update(chunk.subarray(0, chunk.length - TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

/**
 * The nonce: eleven bytes of chunk number, big-endian, then whether it is the last chunk. It is unique because each archive
 * has its own key.
 */
function nonceOf(number: number, final: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, 5, 6);
  nonce[NONCE_BYTES - 1] = final ? 1 : 0;
  return nonce;
}
