import { constants, createDeflateRaw, type DeflateRaw } from "node:zlib";

/** The beginning of a gzip stream (RFC 1952 §2.3): deflate, no name, no time, any system. */
export const GZIP_START = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Below this nothing is won. */
const WORTH_IT_BYTES = 512;
const MOST_STORED_BYTES = 0xffff;
/** Fast, and with little memory: the texts repeat themselves at short distances. */
const OPTIONS = { level: 1, windowBits: 13, memLevel: 6 };

/**
 * Packs texts as parts of gzip streams that have no end. A part refers to no other one, so the same bytes are sent to everybody who reads
 * such a stream, whatever they were sent before.
 *
 * One deflater makes all parts, one after the other, on another thread. Node's functions for a single text keep what they read and made
 * until the whole heap is collected: with a few texts a second that is soon necessary, and each time the relays wait.
 */
export class Packer {
  #deflater: DeflateRaw | undefined;
  #isClosed = false;
  #turn: Promise<unknown> = Promise.resolve();

  /** Rejects when there is no memory, and when it was closed meanwhile. */
  pack(text: Buffer): Promise<Buffer> {
    if (text.length < WORTH_IT_BYTES) return Promise.resolve(stored(text));
    const packed = this.#turn.then(() => this.#deflate(text));
    this.#turn = packed.catch(() => undefined);
    return packed;
  }

  /** What is not packed yet is not packed any more. */
  close(): void {
    this.#isClosed = true;
    this.#deflater?.destroy();
  }

  #deflate(text: Buffer): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(new Error("the packer is closed"));
    const deflater = this.#open();
    return new Promise((resolve, reject) => {
      // Its own, so that what an ended deflater says later cannot touch another text's.
      const parts: Buffer[] = [];
      const take = (part: Buffer) => parts.push(part);
      const failed = () => reject(new Error("the text could not be packed"));
      deflater.on("data", take);
      deflater.once("close", failed);
      deflater.write(text);
      // It ends at a byte, with nothing held back, and what comes next refers to nothing before.
      deflater.flush(constants.Z_FULL_FLUSH, () => {
        // It is called as well when the deflater ended in the middle.
        if (deflater.destroyed) return failed();
        // Where the last of the output waits to be read, this reads it.
        while (deflater.read() !== null);
        deflater.off("close", failed);
        deflater.off("data", take);
        resolve(Buffer.concat(parts));
      });
    });
  }

  #open(): DeflateRaw {
    if (this.#deflater !== undefined) return this.#deflater;
    const deflater = createDeflateRaw(OPTIONS);
    // It closes after that, which is all that has to be known.
    deflater.on("error", () => undefined);
    deflater.on("close", () => (this.#deflater = undefined));
    this.#deflater = deflater;
    return deflater;
  }
}

/** A text as such a part, as it is: for what is short, or sent once. */
export function stored(text: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < text.length; at += MOST_STORED_BYTES)
    blocks.push(...storedBlock(text.subarray(at, at + MOST_STORED_BYTES)));
  return Buffer.concat(blocks);
}

/** A block that is not compressed and not the last one (RFC 1951 §3.2.4). */
function storedBlock(text: Buffer): readonly Buffer[] {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(text.length, 1);
  head.writeUInt16LE(MOST_STORED_BYTES - text.length, 3);
  return [head, text];
}
