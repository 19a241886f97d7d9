import { hostile } from "./errors.ts";

export const BLOCK = 512;
/** The largest number that a header's eleven octal digits can hold; larger sizes need a PAX record. */
const LARGEST_OCTAL_SIZE = 8 ** 11 - 1;
const LARGEST_OCTAL_TIME = 8 ** 11 - 1;

/** One regular file in an archive. */
export interface MemberHead {
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  readonly size: number;
}

/** The tar blocks before a member's content: a PAX record if ustar cannot express the path or size, then the ustar header. */
export function memberHeader(head: MemberHead): Buffer {
  const split = splitPath(head.path);
  const records: string[] = [];
  if (split === undefined) records.push(paxRecord("path", head.path));
  if (head.size > LARGEST_OCTAL_SIZE) records.push(paxRecord("size", String(head.size)));
  const name = split ?? { prefix: "", name: "long-name" };
  const size = Math.min(head.size, LARGEST_OCTAL_SIZE);
  const plain = ustar({ ...name, mode: head.mode, mtime: head.mtime, size: head.size > size ? 0 : size, type: "0" });
  if (records.length === 0) return plain;
  const body = Buffer.from(records.join(""), "utf8");
  const pax = ustar({ prefix: "", name: "pax-header", mode: 0o600, mtime: 0, size: body.length, type: "x" });
  return Buffer.concat([pax, body, Buffer.alloc(paddingOf(body.length)), plain]);
}

/** The number of zero bytes after a content of `size` bytes. */
export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

interface Ustar {
  readonly prefix: string;
  readonly name: string;
  readonly mode: number;
  readonly mtime: number;
  readonly size: number;
  readonly type: string;
}

function ustar(fields: Ustar): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(fields.name, 0, 100, "utf8");
  block.write(octal(fields.mode & 0o7777, 7), 100, "latin1");
  block.write(octal(0, 7), 108, "latin1");
  block.write(octal(0, 7), 116, "latin1");
  block.write(octal(fields.size, 11), 124, "latin1");
  block.write(octal(Math.min(Math.max(0, Math.floor(fields.mtime)), LARGEST_OCTAL_TIME), 11), 136, "latin1");
  block.write(fields.type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  block.write(fields.prefix, 345, 155, "utf8");
  block.write(`${octal(checksumOf(block), 6)}\u0000 `, 148, "latin1");
  return block;
}

/** Parses one 512-byte header; in the older form, another tar may have written it. */
export function readUstar(block: Buffer): Ustar {
  const checksum = octalField(block, 148, 8);
  if (checksum !== checksumOf(block)) throw hostile("a tar header's checksum does not fit");
  if (block.toString("latin1", 257, 262) !== "ustar") throw hostile("a member is not in ustar form");
  return {
    name: textField(block, 0, 100),
    prefix: textField(block, 345, 155),
    mode: octalField(block, 100, 8),
    size: octalField(block, 124, 12),
    mtime: octalField(block, 136, 12),
    type: String.fromCharCode(block[156] ?? 0),
  };
}

/**
 * Parses the records of a PAX header. Only path and size are used; records that would change the member's type are refused.
 */
export function readPax(body: Buffer): { path?: string; size?: number } {
  const records: { path?: string; size?: number } = {};
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(body.toString("latin1", at, space));
    const record = body.subarray(at, at + length);
    const equals = record.indexOf(0x3d);
    if (!Number.isInteger(length) || length < 5 || record.length < length || equals < 0 || record.at(-1) !== 0x0a) {
      throw hostile("a PAX record is malformed");
    }
    const key = record.toString("utf8", space - at + 1, equals);
    const value = record.toString("utf8", equals + 1, record.length - 1);
    if (key === "path") records.path = value;
    else if (key === "size") {
      if (!/^\d{1,15}$/.test(value)) throw hostile("a PAX size is malformed");
      records.size = Number(value);
    } else if (key === "linkpath" || key.startsWith("GNU.sparse"))
      throw hostile(`a PAX record "${key}" is not accepted`);
    at += length;
  }
  return records;
}

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length !== length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

/** Splits a path into ustar's prefix and name; undefined when it does not fit or is not ASCII. */
function splitPath(path: string): { prefix: string; name: string } | undefined {
  if (!/^[\x20-\x7e]+$/.test(path)) return undefined;
  if (path.length <= 100) return { prefix: "", name: path };
  if (path.length > 256) return undefined;
  const slash = path.indexOf("/", path.length - 101);
  if (slash <= 0 || slash > 155 || slash === path.length - 1) return undefined;
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) };
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

function textField(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? length : end);
}

function octalField(block: Buffer, at: number, length: number): number {
  const text = block
    .toString("latin1", at, at + length)
    .replace(/[\0 ]+$/, "")
    .trimStart();
  if (!/^[0-7]*$/.test(text)) throw hostile("a number in a tar header is malformed");
  return text === "" ? 0 : Number.parseInt(text, 8);
}
