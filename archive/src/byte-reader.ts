/** Bytes in pieces of any size. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads pieces of exact sizes from a source; keeps only the current piece in memory. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #ended = false;

  constructor(source: ByteSource) {
    this.#pieces = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** The next `count` bytes; fewer only at the end of the source. */
  async take(count: number): Promise<Buffer> {
    await this.#fill(count);
    const taken = this.#copy(Math.min(count, this.#heldBytes));
    this.#drop(taken.length);
    return taken;
  }

  /** Like {@link take}, into the caller's buffer; returns its filled part. */
  async takeInto(buffer: Buffer): Promise<Buffer> {
    await this.#fill(buffer.length);
    const count = Math.min(buffer.length, this.#heldBytes);
    let at = 0;
    for (const piece of this.#held) {
      if (at === count) break;
      const part = piece.length > count - at ? piece.subarray(0, count - at) : piece;
      buffer.set(part, at);
      at += part.length;
    }
    this.#drop(count);
    return buffer.subarray(0, count);
  }

  /** Like {@link take}, but the bytes are read again by the next call. */
  async peek(count: number): Promise<Buffer> {
    await this.#fill(count);
    return this.#copy(Math.min(count, this.#heldBytes));
  }

  /** Whether the source is at its end. */
  async atEnd(): Promise<boolean> {
    await this.#fill(1);
    return this.#heldBytes === 0;
  }

  /** The remaining bytes, in pieces as they arrive. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (;;) {
      await this.#fill(1);
      const piece = this.#held.shift();
      if (piece === undefined) return;
      this.#heldBytes -= piece.length;
      yield piece;
    }
  }

  /** Tells the source that no more bytes are needed. */
  async close(): Promise<void> {
    if (!this.#ended) await this.#pieces.return?.();
    this.#ended = true;
  }

  async #fill(count: number): Promise<void> {
    while (this.#heldBytes < count && !this.#ended) {
      const next = await this.#pieces.next();
      if (next.done === true) this.#ended = true;
      else if (next.value.length > 0) {
        this.#held.push(next.value);
        this.#heldBytes += next.value.length;
      }
    }
  }

  #copy(count: number): Buffer {
    const first = this.#held[0];
    if (first !== undefined && first.length >= count) return Buffer.from(first.buffer, first.byteOffset, count);
    const whole = Buffer.allocUnsafeSlow(count);
    let at = 0;
    for (const piece of this.#held) {
      if (at === count) break;
      const part = piece.length > count - at ? piece.subarray(0, count - at) : piece;
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  #drop(count: number): void {
    let left = count;
    this.#heldBytes -= count;
    while (left > 0) {
      const piece = this.#held[0];
      if (piece === undefined) return;
      if (piece.length > left) {
        this.#held[0] = piece.subarray(left);
        return;
      }
      left -= piece.length;
      this.#held.shift();
    }
  }
}
