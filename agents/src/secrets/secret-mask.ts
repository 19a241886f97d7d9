import { strikeOut } from "@nest/kit";

/** Shorter secrets are left alone: removing them would garble ordinary words. */
const SHORTEST = 8;

/**
 * Removes secrets from a stream of bytes. It may hold back the end of a piece until the next piece shows whether a secret
 * begins there.
 */
export interface StreamMask {
  take(piece: Buffer): Buffer;
  /** Returns what was held back. Call it when the stream has ended. */
  end(): Buffer;
}

/**
 * Removes secrets from a stream of bytes, wherever the pieces are cut: an end that may begin a secret is held back until the
 * next piece shows what it is.
 */
export class SecretMask implements StreamMask {
  readonly #secrets: () => readonly string[];
  /** One character a byte, so that nothing depends on where a character was cut. */
  #held = "";

  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** Takes a piece; returns what may be passed on now. */
  take(piece: Buffer): Buffer {
    const secrets = this.#asBytes();
    const text = this.#held + piece.toString("latin1");
    const cut = safeCut(text, secrets);
    this.#held = text.slice(cut);
    return Buffer.from(strikeOut(text.slice(0, cut), secrets), "latin1");
  }

  /** Returns the rest. Call it when the stream has ended. */
  end(): Buffer {
    const rest = strikeOut(this.#held, this.#asBytes());
    this.#held = "";
    return Buffer.from(rest, "latin1");
  }

  /** The secrets as bytes, longest first: one may be the beginning of another. */
  #asBytes(): readonly string[] {
    return this.#secrets()
      .map((secret) => Buffer.from(secret).toString("latin1"))
      .filter((bytes) => bytes.length >= SHORTEST)
      .sort((a, b) => b.length - a.length);
  }
}

/** Where the text can be cut so that no secret is split, whatever follows. Pure. */
function safeCut(text: string, secrets: readonly string[]): number {
  let cut = text.length - Math.max(0, ...secrets.map((secret) => begunAtEnd(text, secret)));
  // Secrets may overlap: a cut that was moved out of one may be inside another.
  let before: number;
  do {
    before = cut;
    for (const secret of secrets) {
      const at = text.indexOf(secret, Math.max(0, cut - secret.length + 1));
      if (at >= 0 && at < cut) cut = at;
    }
  } while (cut !== before);
  return cut;
}

/** How many characters at the end of the text are the beginning of the secret. */
function begunAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length > 0; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
