import { type BlobFacts, type BlobRow, type Blobs, blobAbsent, blobExists, type PutOptions } from "../storage/blobs.ts";

interface Kept extends BlobFacts {
  readonly content: Buffer;
}

/** Objects in memory. */
export class MemoryBlobs implements Blobs {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of content) {
      options.signal.throwIfAborted();
      pieces.push(Buffer.from(piece));
    }
    if (this.#kept.has(name)) throw blobExists(name);
    const whole = Buffer.concat(pieces);
    this.#kept.set(name, {
      name,
      bytes: whole.length,
      modifiedAt: this.#now(),
      metadata: options.metadata,
      lockedUntil: options.lockedUntil,
      content: whole,
    });
  }

  async *get(name: string): AsyncGenerator<Uint8Array> {
    yield this.#find(name).content;
  }

  async facts(name: string): Promise<BlobFacts> {
    const { content: _, ...facts } = this.#find(name);
    return facts;
  }

  async *list(prefix: string): AsyncGenerator<BlobRow> {
    for (const { name, bytes, modifiedAt } of this.#kept.values()) {
      if (name.startsWith(prefix)) yield { name, bytes, modifiedAt };
    }
  }

  async remove(name: string): Promise<"removed" | "locked"> {
    const kept = this.#kept.get(name);
    if ((kept?.lockedUntil ?? 0) > this.#now()) return "locked";
    this.#kept.delete(name);
    return "removed";
  }

  async sweep(): Promise<number> {
    return 0;
  }

  #find(name: string): Kept {
    const kept = this.#kept.get(name);
    if (kept === undefined) throw blobAbsent(name);
    return kept;
  }
}
