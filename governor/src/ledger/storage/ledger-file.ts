import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { NestError } from "@nest/kit";
import { MOST_LINE_BYTES } from "./line.ts";

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/** No file of a ledger grows so large by itself; a larger one is not read (and would not fit into the nest's backup). */
export const MOST_FILE_BYTES = 64 * 1024 * 1024;

/** `"stop"` ends the reading after this line. */
export type TakeLine = (line: Buffer, offset: number) => "stop" | undefined;
export type TellBadLine = (offset: number, because: "too_long") => void;

/** One file of a ledger, read from where it was read to before, and appended to. */
export class LedgerFile implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  #position = 0;
  /** Inside a line that is too long: what comes is dropped until the line ends. */
  #skipping = false;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /**
   * Opens a file that is there. Links are not followed, and a pipe or a device is refused: what lies in the folder may be another's.
   *
   * @throws NestError `ledger_unreadable`; `ENOENT` as it is.
   */
  static async open(path: string, flags: number = constants.O_RDWR | constants.O_APPEND): Promise<LedgerFile> {
    try {
      const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
      const file = new LedgerFile(path, handle);
      if ((await handle.stat()).isFile()) return file;
      await handle.close();
    } catch (thrown) {
      const { code = "" } = thrown as NodeJS.ErrnoException;
      if (!["ELOOP", "EISDIR", "ENXIO", "EACCES", "EPERM", "EROFS"].includes(code)) throw thrown;
      throw unreadable(path, code, thrown);
    }
    throw unreadable(path, "it is not a regular file");
  }

  /** How far it was read. */
  get position(): number {
    return this.#position;
  }

  /**
   * Hands over every whole line that was not read yet; empty ones are left out. What follows the last line feed stays for the
   * next time: somebody may be writing it.
   *
   * @throws NestError `ledger_too_large`.
   */
  async readOn(take: TakeLine, tellBad: TellBadLine): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size > MOST_FILE_BYTES) throw tooLarge(this.path);
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, size - this.#position)));
    // Not further than it was long: whoever appends without end must not keep the reader.
    while (this.#position < size) {
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, this.#position);
      const ended = this.#takeLines(chunk.subarray(0, bytesRead), take, tellBad);
      if (ended) return;
    }
  }

  /** Whether the reading ended: nothing whole is left, or the line before said so. */
  #takeLines(chunk: Buffer, take: TakeLine, tellBad: TellBadLine): boolean {
    const begin = this.#position;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end);
      const offset = begin + start;
      start = end + 1;
      this.#position = begin + start;
      const wasSkipping = this.#skipping;
      this.#skipping = false;
      if (wasSkipping) tellBad(offset, "too_long");
      else if (line.length > 0 && take(line, offset) === "stop") return true;
    }
    const left = chunk.length - start;
    if (left === 0) return chunk.length === 0;
    if (this.#skipping || left > MOST_LINE_BYTES) {
      this.#skipping = true;
      this.#position += left;
      return false;
    }
    // A line that goes on behind the chunk is read again from its start; without any progress the file ends within it.
    return start === 0;
  }

  /**
   * Appends lines in one write and waits until they are on disk. The system puts one write after another, also of several
   * processes, and never one into the other (not so on network file systems).
   *
   * @throws NestError `ledger_write_failed`.
   */
  async append(lines: string): Promise<void> {
    try {
      // Begins with a line feed: whatever a process that was killed left half-written ends here.
      const bytes = Buffer.from(`\n${lines}`);
      const { bytesWritten } = await this.#handle.write(bytes, 0, bytes.length, null);
      if (bytesWritten < bytes.length) throw new Error(`${bytesWritten} of ${bytes.length} bytes were written`);
      await this.#handle.datasync();
    } catch (thrown) {
      throw writeFailed(this.path, thrown);
    }
  }

  /** Whether the file is still there and has what was read: a backup that is put back, or somebody's hand, may have replaced it. */
  async isIntact(): Promise<boolean> {
    const { nlink, size } = await this.#handle.stat();
    return nlink > 0 && size >= this.#position;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

export function unreadable(path: string, because: string, cause?: unknown): NestError<"ledger_unreadable"> {
  return new NestError("ledger_unreadable", `${path} cannot be used as a file of a work ledger: ${because}`, {
    hint: "move it out of the ledger's folder; docs/ledger.md says what belongs there",
    cause,
  });
}

function tooLarge(path: string): NestError<"ledger_too_large"> {
  return new NestError("ledger_too_large", `${path} has more than ${MOST_FILE_BYTES / 1024 / 1024} MiB`, {
    hint: "no ledger writes such a file: move it out of the folder, and start anew or restore a backup",
  });
}

export function writeFailed(path: string, cause: unknown): NestError<"ledger_write_failed"> {
  const because = cause instanceof Error ? cause.message : String(cause);
  return new NestError("ledger_write_failed", `${path} could not be written: ${because}`, {
    hint: "look at the disk's room and the folder's owner, then read the ledger before trying again",
    cause,
  });
}
