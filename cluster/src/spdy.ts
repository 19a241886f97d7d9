/**
 * The part of SPDY/3.1 that one exec needs. A role that allows only `create` on `pods/exec` needs SPDY: a WebSocket begins
 * with GET, for which the cluster also requires the verb `get`.
 */

const VERSION = 0x8003;
const SYN_STREAM = 1;
const RST_STREAM = 3;
const PING = 6;
const GO_AWAY = 7;
const FLAG_FIN = 1;
const HEAD_BYTES = 8;
/** Begins the zlib stream that all header blocks of a connection share. */
const ZLIB_START = Buffer.from([0x78, 0x01]);
/** A flush mark after each header block: without it, the reader would wait for more data. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** A frame from the other side. */
export type SpdyFrame =
  | { readonly kind: "data"; readonly stream: number; readonly bytes: Buffer; readonly isLast: boolean }
  | { readonly kind: "reset"; readonly stream: number }
  | { readonly kind: "ping"; readonly frame: Buffer }
  | { readonly kind: "away" }
  /** Replies, settings and window updates, which are ignored. */
  | { readonly kind: "other" };

/**
 * Makes the frame that opens a stream. Header blocks are stored without compression: they are few and short, and so they
 * share no state but their order. `isFirst` marks a connection's first stream; `isOneWay` a stream that is only read.
 */
export function openStream(
  id: number,
  headers: Readonly<Record<string, string>>,
  how: { readonly isFirst: boolean; readonly isOneWay: boolean },
): Buffer {
  const block = headerBlock(headers);
  const stored = Buffer.alloc(5);
  stored.writeUInt16LE(block.length, 1);
  stored.writeUInt16LE(block.length ^ 0xffff, 3);
  const start = how.isFirst ? ZLIB_START : Buffer.alloc(0);
  const body = Buffer.alloc(10);
  body.writeUInt32BE(id, 0);
  return controlFrame(SYN_STREAM, how.isOneWay ? FLAG_FIN : 0, Buffer.concat([body, start, stored, block, FLUSH]));
}

/** Makes a frame of data on a stream; the last one ends this side of it. */
export function dataFrame(stream: number, bytes: Uint8Array, isLast: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(bytes.length, 4);
  head[4] = isLast ? FLAG_FIN : 0;
  return Buffer.concat([head, bytes]);
}

function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(headers);
  const parts = [length32(entries.length)];
  for (const text of entries.flat()) parts.push(length32(Buffer.byteLength(text)), Buffer.from(text));
  return Buffer.concat(parts);
}

function controlFrame(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  head[4] = flags;
  return Buffer.concat([head, body]);
}

function length32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Parses frames from bytes as they arrive. */
export class SpdyReader {
  #held: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<SpdyFrame> {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    for (;;) {
      if (this.#held.length < HEAD_BYTES) return;
      const length = this.#held.readUIntBE(5, 3);
      if (this.#held.length < HEAD_BYTES + length) return;
      const frame = this.#held.subarray(0, HEAD_BYTES + length);
      this.#held = this.#held.subarray(HEAD_BYTES + length);
      yield read(frame);
    }
  }
}

function read(frame: Buffer): SpdyFrame {
  const first = frame.readUInt32BE(0);
  if (first < 0x8000_0000) {
    return {
      kind: "data",
      stream: first,
      bytes: frame.subarray(HEAD_BYTES),
      isLast: ((frame[4] ?? 0) & FLAG_FIN) !== 0,
    };
  }
  switch (first & 0xffff) {
    case RST_STREAM:
      return { kind: "reset", stream: frame.readUInt32BE(HEAD_BYTES) };
    case PING:
      return { kind: "ping", frame };
    case GO_AWAY:
      return { kind: "away" };
    default:
      return { kind: "other" };
  }
}
