import type { ServerResponse } from "node:http";
import type { TimeSlicer } from "@nest/kit";
import type { Packer } from "./packed-stream.ts";

/** Pieces of a long text, of some 5 KB each, that are packed together. */
const PACKED_TOGETHER = 48;
/** Texts longer than this are encoded once for all watchers. */
const ENCODED_ONCE = 4096;

/** What is sent to many watchers: encoded once, and packed once for those who read gzip. */
export class Payload {
  readonly #plain: string | Buffer;
  #packed: Buffer | undefined;

  constructor(text: string | Buffer) {
    this.#plain = typeof text === "string" && text.length > ENCODED_ONCE ? Buffer.from(text) : text;
  }

  get isPacked(): boolean {
    return this.#packed !== undefined;
  }

  /** Packs it, which has to be done before somebody is sent it who reads gzip. */
  async pack(packer: Packer): Promise<void> {
    try {
      this.#packed = await packer.pack(typeof this.#plain === "string" ? Buffer.from(this.#plain) : this.#plain);
    } catch {
      // Who reads gzip is disconnected when it is sent; nobody else may wait because there was no memory to pack it.
    }
  }

  /** Writes it to a watcher. One that has left more than so many bytes unread is disconnected; it comes back and gets a new snapshot. */
  send(response: ServerResponse, { isPacked, maxQueuedBytes }: { isPacked: boolean; maxQueuedBytes: number }): void {
    const bytes = isPacked ? this.#packed : this.#plain;
    if (bytes === undefined || response.writableLength > maxQueuedBytes) {
      response.destroy();
      return;
    }
    try {
      response.write(bytes);
    } catch {
      // Nobody else may wait because one could not be written to.
      response.destroy();
    }
  }
}

export interface LongEventDeps {
  readonly name: string;
  /** Its data as JSON, piece by piece, each time from the beginning. */
  readonly json: () => Iterable<string>;
  readonly slicer: TimeSlicer;
  readonly packer: Packer;
}

/** A long event for some watchers: encoded and packed once, and only as somebody wants it. */
export class LongEvent {
  readonly #deps: LongEventDeps;
  #plain: Promise<readonly Buffer[]> | undefined;
  #packed: Promise<readonly Buffer[]> | undefined;

  constructor(deps: LongEventDeps) {
    this.#deps = deps;
  }

  plain(): Promise<readonly Buffer[]> {
    const { name, json, slicer } = this.#deps;
    this.#plain ??= encodedEvent(name, json(), slicer);
    return this.#plain;
  }

  /** As parts of a gzip stream. Some pieces at a time are made and packed, and none is kept as it was: they are megabytes. */
  packed(): Promise<readonly Buffer[]> {
    this.#packed ??= this.#pack();
    return this.#packed;
  }

  async #pack(): Promise<readonly Buffer[]> {
    const { name, json, slicer, packer } = this.#deps;
    const parts: Buffer[] = [];
    let together: Buffer[] = [];
    for (const piece of eventOf(name, json())) {
      together.push(Buffer.from(piece));
      await slicer.pause();
      if (together.length < PACKED_TOGETHER) continue;
      parts.push(await packer.pack(Buffer.concat(together)));
      together = [];
    }
    parts.push(await packer.pack(Buffer.concat(together)));
    return parts;
  }
}

/** A long event in pieces that are encoded one by one. */
export async function encodedEvent(name: string, json: Iterable<string>, slicer: TimeSlicer): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for (const piece of eventOf(name, json)) {
    pieces.push(Buffer.from(piece));
    await slicer.pause();
  }
  return pieces;
}

function* eventOf(name: string, json: Iterable<string>): Generator<string, void> {
  yield `event: ${name}\ndata: `;
  yield* json;
  yield "\n\n";
}
