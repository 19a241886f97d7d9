import { createDecipheriv } from "node:crypto";
import type { ByteReader } from "./byte-reader.ts";
import { TAG_BYTES } from "./chunks.ts";
import { damaged, tooLarge } from "./errors.ts";
import type { ArchiveKey } from "./key.ts";

const NONCE_BYTES = 12;
/** The older form must be kept whole in memory until its one tag is checked. */
const SINGLE_SHOT_MOST_BYTES = 512 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;

/**
 * Opens the older form: 12-byte nonce, ciphertext, 16-byte tag, the key used directly. Returns no plaintext before the tag at
 * the end was checked.
 *
 * @throws NestError `archive_damaged` (this form cannot tell a wrong key from damage), `archive_too_large` over 512 MiB.
 */
export async function openSingleShot(sealed: ByteReader, keys: readonly ArchiveKey[]): Promise<Buffer[]> {
  const whole: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const slice = await sealed.take(SLICE_BYTES);
    if (slice.length === 0) break;
    bytes += slice.length;
    if (bytes > SINGLE_SHOT_MOST_BYTES + NONCE_BYTES + TAG_BYTES) {
      throw tooLarge(
        "not an archive of this tool, or one of the older form over 512 MiB, which cannot be opened safely",
      );
    }
    whole.push(Buffer.from(slice));
  }
  if (bytes < NONCE_BYTES + TAG_BYTES) throw damaged(`too short to be an archive, ${bytes} bytes`);
  const { nonce, slices, tag } = takeApart(whole);
  for (const key of keys) {
    const plain = open(slices, { key, nonce, tag });
    if (plain !== undefined) return plain;
  }
  throw damaged("it is of the older form, and the key is wrong or the content was changed");
}

function takeApart(whole: Buffer[]): { nonce: Buffer; slices: Buffer[]; tag: Buffer } {
  const slices = [...whole];
  const last = slices.pop() ?? Buffer.alloc(0);
  const end = last.length >= TAG_BYTES ? last : Buffer.concat([slices.pop() ?? Buffer.alloc(0), last]);
  slices.push(end.subarray(0, end.length - TAG_BYTES));
  const first = slices[0] ?? Buffer.alloc(0);
  slices[0] = first.subarray(NONCE_BYTES);
  return { nonce: first.subarray(0, NONCE_BYTES), slices, tag: end.subarray(end.length - TAG_BYTES) };
}

function open(
  slices: readonly Buffer[],
  seal: { readonly key: ArchiveKey; readonly nonce: Buffer; readonly tag: Buffer },
): Buffer[] | undefined {
  const decipher = createDecipheriv("aes-256-gcm", seal.key.bytes(), seal.nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(seal.tag);
  const plain = slices.map((slice) => decipher.update(slice));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}
