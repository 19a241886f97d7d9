import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "@nest/kit";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Numbers of a sender that are remembered: messages of one sender may overtake each other by so much. */
const REMEMBERED = 1000;
const MOST_SENDERS = 1000;

/**
 * Seals what replicas tell each other with the key that they share (AES-256-GCM): any role of the database may listen on a
 * channel and notify on it, so that a message is neither readable nor believed without the key, and each is taken once.
 */
export class MessageSeal {
  readonly #key: Buffer;
  readonly #sender: string;
  /** What a message is bound to beside its text: the schema of the hub. */
  readonly #context: () => string;
  readonly #random: Random;
  #next = 1;
  readonly #seen = new Map<string, { greatest: number; numbers: Set<number> }>();

  /** `key`: 32 bytes. `sender`: this process, never twice the same. */
  constructor(key: Buffer, sender: string, context: () => string, random: Random) {
    this.#key = key;
    this.#sender = sender;
    this.#context = context;
    this.#random = random;
  }

  /** A message as text for a notification. */
  seal(message: object): string {
    const nonce = Buffer.from(this.#random.hex(NONCE_BYTES), "hex");
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(this.#context()));
    const text = JSON.stringify({ sender: this.#sender, number: this.#next++, message });
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** The message; undefined for what was not sealed with this key, or was taken before. */
  open(text: string): unknown {
    const bytes = Buffer.from(text, "base64");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(this.#context()));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      const { sender, number, message } = JSON.parse(plain.toString("utf8"));
      return this.#isNew(String(sender), Number(number)) ? message : undefined;
    } catch {
      return undefined;
    }
  }

  #isNew(sender: string, number: number): boolean {
    const seen = this.#seen.get(sender) ?? { greatest: 0, numbers: new Set<number>() };
    if (!Number.isSafeInteger(number) || number <= seen.greatest - REMEMBERED || seen.numbers.has(number)) return false;
    seen.greatest = Math.max(seen.greatest, number);
    seen.numbers.add(number);
    if (seen.numbers.size > 2 * REMEMBERED)
      for (const old of seen.numbers) if (old <= seen.greatest - REMEMBERED) seen.numbers.delete(old);
    this.#seen.delete(sender);
    this.#seen.set(sender, seen);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MOST_SENDERS) break;
      this.#seen.delete(oldest);
    }
    return true;
  }
}
