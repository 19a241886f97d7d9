import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import type { Member } from "./tar-writer.ts";

/** Files up to this size are read whole, so that one that changes during the reading can be read again. */
const WHOLE_BYTES = 8 * 1024 * 1024;
const SLICE_BYTES = 1024 * 1024;
const READ_AGAIN = 3;
/** Follows no link, and does not wait for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const CHANGED = "changed while it was read; stored as it was read";

/** A buffer that is reused for one file after the other: allocating memory for each takes longer than reading it. */
export class ReadBuffer {
  #memory = Buffer.alloc(0);

  /** Returns `bytes` bytes with undefined content. The result of the previous call is overwritten. */
  take(bytes: number): Buffer {
    if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(Math.max(bytes, SLICE_BYTES));
    return this.#memory.subarray(0, bytes);
  }
}

/** A file ready to be stored, or the reason why it is not. */
export type FileMember = { readonly member: Member } | { readonly refused: string };

export interface FileMemberOptions {
  /** The path on disk. */
  readonly source: string;
  /** The path in the archive. */
  readonly path: string;
  /** Permission bits to use instead of the file's. */
  readonly mode?: number;
  readonly mostBytes?: number;
  /** The buffer to read into, if each content is used up before the next file is opened; without it, memory is allocated. */
  readonly buffer?: ReadBuffer;
  /** Called when the file changed while it was read. */
  changed(reason: string): void;
}

/**
 * Opens one file for an archive, with one descriptor for its attributes and its content. Only regular files are stored. The
 * stored content always has the announced size: a file that shrinks is padded with zeros, and this is reported.
 *
 * Reads are synchronous on purpose: they come from the page cache, and the thread pool is busy compressing.
 */
export function fileMember(options: FileMemberOptions): FileMember {
  let descriptor: number;
  try {
    descriptor = openSync(options.source, FLAGS);
  } catch (thrown) {
    return { refused: whyNotOpened(thrown) };
  }
  let keepOpen = false;
  try {
    const before = fstatSync(descriptor);
    const refused = whyNotStored(before, options.mostBytes);
    if (refused !== undefined) return { refused };
    keepOpen = before.size > WHOLE_BYTES;
    const read = keepOpen ? undefined : readWhole(descriptor, before, options);
    const content = read === undefined ? slices(descriptor, before, options) : [read.content];
    const size = read === undefined ? before.size : read.content.length;
    const mode = options.mode ?? before.mode & 0o777;
    return { member: { path: options.path, mode, mtime: Math.floor(before.mtimeMs / 1000), size, content } };
  } catch (thrown) {
    return { refused: whyNotOpened(thrown) };
  } finally {
    if (!keepOpen) closeSync(descriptor);
  }
}

/** The size of a file that can be stored, or why it cannot; reads no content. */
export function lookAtFile(
  source: string,
  mostBytes: number,
): { readonly size: number } | { readonly refused: string } {
  try {
    const descriptor = openSync(source, FLAGS);
    try {
      const stats = fstatSync(descriptor);
      const refused = whyNotStored(stats, mostBytes);
      return refused === undefined ? { size: stats.size } : { refused };
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    return { refused: whyNotOpened(thrown) };
  }
}

function readWhole(descriptor: number, first: Stats, options: FileMemberOptions): { content: Buffer } {
  let before = first;
  for (let attempt = 1; ; attempt += 1) {
    const content = (options.buffer ?? new ReadBuffer()).take(Math.min(before.size, WHOLE_BYTES));
    const filled = fill(descriptor, content, 0);
    const after = fstatSync(descriptor);
    const settled = isSame(before, after) && filled === content.length;
    if (!settled && attempt < READ_AGAIN) {
      before = after;
      continue;
    }
    if (!settled) options.changed(CHANGED);
    return { content: content.subarray(0, filled) };
  }
}

function* slices(descriptor: number, before: Stats, options: FileMemberOptions): Generator<Buffer> {
  const buffer = (options.buffer ?? new ReadBuffer()).take(SLICE_BYTES);
  let short = false;
  try {
    for (let at = 0; at < before.size; ) {
      const slice = buffer.subarray(0, Math.min(SLICE_BYTES, before.size - at));
      const filled = short ? 0 : fill(descriptor, slice, at);
      if (filled < slice.length) {
        short = true;
        slice.fill(0, filled);
      }
      at += slice.length;
      yield slice;
    }
    if (short || !isSame(before, fstatSync(descriptor))) options.changed(CHANGED);
  } finally {
    closeSync(descriptor);
  }
}

function fill(descriptor: number, buffer: Buffer, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(descriptor, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

function isSame(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs && before.ino === after.ino;
}

function whyNotStored(stats: Stats, mostBytes: number | undefined): string | undefined {
  if (stats.isFIFO()) return "a pipe";
  if (stats.isDirectory()) return "a folder where a file is expected";
  if (!stats.isFile()) return "no regular file";
  if (mostBytes !== undefined && stats.size > mostBytes) return `larger than ${mostBytes} bytes`;
  return undefined;
}

function whyNotOpened(thrown: unknown): string {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code ?? "";
  const words: Readonly<Record<string, string>> = {
    ELOOP: "a symbolic link",
    ENXIO: "a socket",
    ENOENT: "vanished",
    EACCES: "not readable (permission denied)",
    EPERM: "not readable (permission denied)",
  };
  return words[code] ?? `not readable (${code === "" ? "unknown error" : code})`;
}
