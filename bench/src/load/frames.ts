const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;

/**
 * Text frames as a client sends them, several in one buffer so that they leave in one write. The mask is zero: legal, and it
 * spares both sides the masking, for every hub alike.
 */
export function encodeFrames(texts: readonly string[]): Buffer {
  let size = 0;
  for (const text of texts) size += headerSize(text.length) + text.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const text of texts) {
    at = writeHeader(bytes, at, 0x80 | TEXT, text.length);
    at += bytes.write(text, at, "latin1");
  }
  return bytes;
}

/** The answer to a ping. */
export function encodePong(payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(headerSize(payload.length) + payload.length);
  payload.copy(bytes, writeHeader(bytes, 0, 0x8a, payload.length));
  return bytes;
}

function headerSize(length: number): number {
  if (length > 0xffff) throw new RangeError("a frame of the load client is never this long");
  return length < 126 ? 6 : 8;
}

function writeHeader(bytes: Buffer, start: number, first: number, length: number): number {
  let at = start;
  bytes[at++] = first;
  if (length < 126) {
    bytes[at++] = 0x80 | length;
  } else {
    bytes[at++] = 0x80 | 126;
    at = bytes.writeUInt16BE(length, at);
  }
  return bytes.writeUInt32BE(0, at);
}

/** What a {@link FrameReader} tells its owner. */
export interface FrameTaker {
  text(text: string): void;
  pinged(payload: Buffer): void;
  closing(code: number): void;
}

const NOTHING = Buffer.alloc(0);

/** Cuts what a hub sent into frames. Hubs of ours never fragment, and a frame mostly arrives whole: then nothing is copied. */
export class FrameReader {
  #rest: Buffer = NOTHING;

  read(chunk: Buffer, taker: FrameTaker): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const next = readOne(bytes, at, taker);
      if (next === undefined) break;
      at = next;
    }
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }
}

function readOne(bytes: Buffer, start: number, taker: FrameTaker): number | undefined {
  if (bytes.length < start + 2) return undefined;
  const opcode = (bytes[start] ?? 0) & 0x0f;
  let length = (bytes[start + 1] ?? 0) & 0x7f;
  let at = start + 2;
  if (length === 126) {
    if (bytes.length < at + 2) return undefined;
    length = bytes.readUInt16BE(at);
    at += 2;
  } else if (length === 127) {
    if (bytes.length < at + 8) return undefined;
    length = Number(bytes.readBigUInt64BE(at));
    at += 8;
  }
  const end = at + length;
  if (bytes.length < end) return undefined;
  if (opcode === TEXT) taker.text(bytes.toString("latin1", at, end));
  else if (opcode === PING) taker.pinged(bytes.subarray(at, end));
  else if (opcode === CLOSE) taker.closing(length >= 2 ? bytes.readUInt16BE(at) : 1005);
  return end;
}
