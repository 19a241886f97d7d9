import { createHmac, timingSafeEqual } from "node:crypto";

/** Signs what a server hands out and wants back unchanged: sessions, sign-ins under way. One key a purpose, from one master. */
export class Signer {
  readonly #key: Buffer;

  /** `purpose` is for ever: with other words what was signed before counts no longer. */
  constructor(master: Uint8Array, purpose: string) {
    this.#key = createHmac("sha256", master).update(purpose).digest();
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
