import { createHash } from "node:crypto";
import { inconsistent } from "./errors.ts";
import type { StoredFile } from "./manifest.ts";
import { type MemberHead, memberHeader, paddingOf } from "./tar-header.ts";

/** A file to be stored. The content must have exactly `size` bytes. */
export interface Member extends MemberHead {
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** The unit of compression: a smaller block compresses worse, a larger one needs more memory. */
const BLOCK_BYTES = 1024 * 1024;

/** Keeps used blocks for reuse: allocating memory takes longer than filling it. */
export class BlockPool {
  readonly #free: Buffer[] = [];

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  /** Returns a block to the pool, whole or only its filled part. */
  give(block: Buffer): void {
    this.#free.push(Buffer.from(block.buffer, 0, BLOCK_BYTES));
  }
}
const END = Buffer.alloc(1024);

/**
 * Writes members as one tar, in blocks of 1 MiB, and calls `stored` with each member's hash. The consumer returns each block
 * to the pool.
 */
export async function* tarBlocks(
  members: AsyncIterable<Member>,
  pool: BlockPool,
  stored: (file: StoredFile) => void,
): AsyncGenerator<Buffer> {
  const blocks = new Blocks(pool);
  for await (const member of members) {
    yield* blocks.add(memberHeader(member));
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of member.content) {
      hash.update(piece);
      bytes += piece.length;
      yield* blocks.add(piece);
    }
    if (bytes !== member.size) throw inconsistent(`${member.path} gave ${bytes} bytes instead of ${member.size}`);
    yield* blocks.add(END.subarray(0, paddingOf(bytes)));
    stored({ path: member.path, size: bytes, sha256: hash.digest("hex") });
  }
  yield* blocks.add(END);
  yield* blocks.last();
}

/** Collects pieces of any size into full blocks. */
class Blocks {
  readonly #pool: BlockPool;
  #block: Buffer;
  #filled = 0;

  constructor(pool: BlockPool) {
    this.#pool = pool;
    this.#block = pool.take();
  }

  *add(piece: Uint8Array): Generator<Buffer> {
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(piece.length - at, BLOCK_BYTES - this.#filled);
      this.#block.set(count === piece.length ? piece : piece.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled < BLOCK_BYTES) return;
      yield this.#block;
      this.#block = this.#pool.take();
      this.#filled = 0;
    }
  }

  *last(): Generator<Buffer> {
    if (this.#filled > 0) yield this.#block.subarray(0, this.#filled);
    this.#filled = 0;
  }
}
