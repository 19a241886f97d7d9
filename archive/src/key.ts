import { hkdfSync } from "node:crypto";
import { NestError, Secret } from "@nest/kit";

const KEY_BYTES = 32;
const INFO = "nest-backup v2";

/** A backup key: 32 bytes. It prints as `[secret]`. */
export class ArchiveKey extends Secret {
  /** The raw 32 bytes. */
  bytes(): Buffer {
    return Buffer.from(this.reveal(), "hex");
  }
}

/**
 * Parses a key of 64 hexadecimal characters; ignores white space around it (such as a file's last newline).
 * Spec: Backup encryption key, form.
 *
 * @throws NestError `backup_key_malformed` naming the source, but no character of the text.
 */
export function parseKey(text: string, source: string): ArchiveKey {
  const trimmed = text.trim();
  if (!/^[0-9a-fA-F]{64}$/.test(trimmed)) {
    throw new NestError(
      "backup_key_malformed",
      `${source}: the backup key must be 64 hexadecimal characters, it has ${lengthWord(trimmed)}`,
      { hint: "make one with nest-backup keygen" },
    );
  }
  return new ArchiveKey(trimmed.toLowerCase());
}

/**
 * The values derived for one archive: the key that encrypts its chunks, and the commitment that reveals a wrong key at once.
 */
export interface DerivedKey {
  readonly payloadKey: Buffer;
  readonly commitment: Buffer;
}

/** HKDF-SHA-256 over the backup key, the archive's salt and the first 16 bytes of its header (docs/archive-format.md). */
export function deriveKey(key: ArchiveKey, salt: Uint8Array, headerStart: Uint8Array): DerivedKey {
  const info = Buffer.concat([Buffer.from(INFO, "ascii"), headerStart]);
  const derived = Buffer.from(hkdfSync("sha256", key.bytes(), salt, info, 2 * KEY_BYTES));
  return { payloadKey: derived.subarray(0, KEY_BYTES), commitment: derived.subarray(KEY_BYTES) };
}

function lengthWord(text: string): string {
  return text.length === 64 ? "other characters" : `${text.length}`;
}
