import { createHash } from "node:crypto";

/** A stream whose length and SHA-256 are known once it was read to its end. */
export interface Hashed<Piece extends Uint8Array> {
  readonly content: AsyncGenerator<Piece>;
  bytes(): number;
  sha256(): string;
}

/** Counts and hashes the bytes of a stream. */
export function hashed<Piece extends Uint8Array>(pieces: AsyncIterable<Piece>): Hashed<Piece> {
  const hash = createHash("sha256");
  let bytes = 0;
  let digest: string | undefined;
  async function* passing() {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  return {
    content: passing(),
    bytes: () => bytes,
    sha256: () => {
      digest ??= hash.digest("hex");
      return digest;
    },
  };
}
