import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, makePrivateFolder, NestError, writeFileAtomic } from "@nest/kit";

const KEY_BYTES = 32;

/** Signs what the hub hands out and wants back unchanged: sessions, sign-ins under way. One key a purpose, from one master. */
export class Signer {
  readonly #key: Buffer;

  constructor(master: Uint8Array, purpose: string) {
    this.#key = createHmac("sha256", master).update(`nest-hub ${purpose} v1`).digest();
  }

  sign(value: unknown): string {
    const payload = Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${payload}.${this.#mac(payload).toString("base64url")}`;
  }

  /** A secret that only this signer can make from a text: 43 letters, digits, `-`, `_`. */
  secretOf(text: string): string {
    return this.#mac(`secret of ${text}`).toString("base64url");
  }

  /** The value that was signed; undefined for anything else. */
  open(text: string): unknown {
    const [payload = "", mac = "", ...more] = text.split(".");
    if (more.length > 0) return undefined;
    const given = Buffer.from(mac, "base64url");
    const right = this.#mac(payload);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    try {
      return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    } catch {
      return undefined;
    }
  }

  #mac(payload: string): Buffer {
    return createHmac("sha256", this.#key).update(payload).digest();
  }
}

/**
 * The hub's master key at `<data>/saas/hmac.key`: 32 bytes, made at first boot, readable by nobody else.
 *
 * @throws NestError `bad_key_file` for a file that is no key: with another one every session would silently end.
 */
export async function masterKey(dataDir: string): Promise<Buffer> {
  const folder = join(dataDir, "saas");
  const path = join(folder, "hmac.key");
  try {
    const bytes = await readFile(path);
    if (bytes.length === KEY_BYTES) return bytes;
    const text = bytes.toString("latin1").trim();
    if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
    const key = randomBytes(KEY_BYTES);
    await makePrivateFolder(folder);
    await writeFileAtomic(path, key);
    return key;
  }
  throw new NestError("bad_key_file", `${path} is not a key of 32 bytes`, {
    hint: "restore it from a backup, or remove it: everybody signs in again",
  });
}
