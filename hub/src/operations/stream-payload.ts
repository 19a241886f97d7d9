import type { ServerResponse } from "node:http";
import type { TimeSlicer } from "@nest/kit";
import { packedPart, packedPartOfLong } from "./packed-stream.ts";

/** Pieces of a long text, of some 5 KB each, that are packed together. */
const PACKED_TOGETHER = 48;
/** Texts longer than this are encoded once for all watchers, and packed on another thread. */
const LONG_TEXT = 4096;

/** What is sent to many watchers: encoded once, and packed once for those who read gzip. */
export class Payload {
  readonly plain: string | Buffer;
  #packed: Buffer | undefined;

  constructor(text: string | Buffer) {
    this.plain = typeof text === "string" && text.length > LONG_TEXT ? Buffer.from(text) : text;
  }

  /** Whether packing it takes so long that it is better done on another thread. */
  get isLong(): boolean {
    return this.plain.length > LONG_TEXT;
  }

  /** Packs it before anybody is sent it, on another thread; nothing to do where it is packed. */
  async packOnAnotherThread(): Promise<void> {
    this.#packed ??= await packedPartOfLong(bytesOf(this.plain));
  }

  /** Writes it to a watcher. One that has left more than so many bytes unread is disconnected; it comes back and gets a new snapshot. */
  send(response: ServerResponse, { isPacked, maxQueuedBytes }: { isPacked: boolean; maxQueuedBytes: number }): void {
    if (response.writableLength > maxQueuedBytes) {
      response.destroy();
      return;
    }
    try {
      response.write(isPacked ? this.#pack() : this.plain);
    } catch {
      // Nobody else may wait because one could not be written to, or because there was no memory to pack it.
      response.destroy();
    }
  }

  #pack(): Buffer {
    this.#packed ??= packedPart(bytesOf(this.plain));
    return this.#packed;
  }
}

function bytesOf(text: string | Buffer): Buffer {
  return typeof text === "string" ? Buffer.from(text) : text;
}

/** A long event for some watchers: encoded and packed once, and only as somebody wants it. */
export class LongEvent {
  readonly #texts: readonly string[];
  readonly #slicer: TimeSlicer;
  #plain: Promise<readonly Buffer[]> | undefined;
  #packed: Promise<readonly Buffer[]> | undefined;

  /** `json`: its data, in pieces. */
  constructor(name: string, json: readonly string[], slicer: TimeSlicer) {
    this.#texts = eventOf(name, json);
    this.#slicer = slicer;
  }

  plain(): Promise<readonly Buffer[]> {
    this.#plain ??= encoded(this.#texts, this.#slicer);
    return this.#plain;
  }

  /** As parts of a gzip stream. */
  packed(): Promise<readonly Buffer[]> {
    this.#packed ??= packed(this.#texts, this.#slicer);
    return this.#packed;
  }
}

/** A long event in pieces that are encoded one by one. */
export function encodedEvent(name: string, json: readonly string[], slicer: TimeSlicer): Promise<Buffer[]> {
  return encoded(eventOf(name, json), slicer);
}

function eventOf(name: string, json: readonly string[]): readonly string[] {
  return [`event: ${name}\ndata: `, ...json, "\n\n"];
}

async function encoded(texts: readonly string[], slicer: TimeSlicer): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for (const text of texts) {
    pieces.push(Buffer.from(text));
    await slicer.pause();
  }
  return pieces;
}

/** Packs some pieces at a time. None is kept as it was: they are megabytes. */
async function packed(texts: readonly string[], slicer: TimeSlicer): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for (let at = 0; at < texts.length; at += PACKED_TOGETHER) {
    const together = await encoded(texts.slice(at, at + PACKED_TOGETHER), slicer);
    parts.push(await packedPartOfLong(Buffer.concat(together)));
  }
  return parts;
}
