import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "@nest/kit";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many message numbers of a sender are remembered: a message may arrive at most this many places late. */
const REMEMBERED = 1000;
const MOST_SENDERS = 1000;

/**
 * Encrypts and authenticates messages between replicas with their shared key (AES-256-GCM). Any user of the database can
 * listen on a channel and notify on it; without the key, a message can be neither read nor forged, and each is accepted once.
 */
export class MessageSeal {
  readonly #key: Buffer;
  readonly #sender: string;
  /** The hub's schema; a message is valid only in the schema where it was sealed. */
  readonly #context: () => string;
  readonly #random: Random;
  #next = 1;
  readonly #seen = new Map<string, { greatest: number; numbers: Set<number> }>();

  /** `key`: 32 bytes. `sender`: the id of this process, never reused. */
  constructor(key: Buffer, sender: string, context: () => string, random: Random) {
    this.#key = key;
    this.#sender = sender;
    this.#context = context;
    this.#random = random;
  }

  /** Encrypts a message into text for a notification. */
  seal(message: object): string {
    const nonce = Buffer.from(this.#random.hex(NONCE_BYTES), "hex");
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(this.#context()));
    const text = JSON.stringify({ sender: this.#sender, number: this.#next++, message });
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** Decrypts a message; undefined when it was not sealed with this key or was accepted before. */
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
