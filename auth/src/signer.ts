import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs what a server hands out and wants back unchanged (sessions, pending sign-ins), with a key per purpose from one master key. */
export class Signer {
  readonly #key: Buffer;

  /** A `purpose` must never change: everything signed under the old one would become invalid. */
  constructor(master: Uint8Array, purpose: string) {
    this.#key = createHmac("sha256", master).update(purpose).digest();
  }

  sign(value: unknown): string {
    const payload = Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${payload}.${this.#mac(payload).toString("base64url")}`;
  }

  /** A secret derived from a text, which only this signer can make: 43 letters, digits, `-`, `_`. */
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
