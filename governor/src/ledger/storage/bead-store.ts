import type { Random } from "@nest/kit";
import { LedgerLine } from "@nest/protocol";
import type { Book, Refusal } from "../book/book.ts";
import { type LedgerFile, unreadable, writeFailed } from "./ledger-file.ts";
import {
  generationOf,
  listLedger,
  logName,
  makeLedgerFolder,
  openLogIfPresent,
  openOrMakeLog,
  removeFile,
  removeOldGenerations,
} from "./ledger-folder.ts";
import { fromLine, toLine } from "./line.ts";
import { Problems } from "./problems.ts";
import { writeSnapshot } from "./snapshot.ts";
import { startingPoint } from "./starting-point.ts";

/** Logs that are longer than this, and than the beads themselves, are worth a snapshot. */
const COMPACT_AT_BYTES = 4 * 1024 * 1024;
/** More logs than this are not read without a snapshot between them. */
const MOST_BYTES = 256 * 1024 * 1024;
/** A longer log is ended before anything is appended: half of what is read, for several may append at once. */
const FULL_LOG_BYTES = 32 * 1024 * 1024;
/** What is appended in one write, but for a single line that is longer. */
const WRITE_CHARACTERS = 2 * 1024 * 1024;
/** A log may be found ended, or gone, that often while one batch is written. */
const MOST_TRIES = 10;

/** Why a line changes nothing, or that it counts. */
export type Outcome = Refusal | "counts";

export interface StoreListener {
  /** A line counts, of this process or another; called in their order. */
  readonly line: (line: LedgerLine) => void;
  /** Everything was read anew. */
  readonly reload: () => void;
}

/**
 * The files of one ledger and the book that they make (docs/ledger.md). Nothing is locked: every writer appends to the same log and
 * reads on to its own line, and so learns what came before it and whether it counts. Whoever compacts ends the log with a line
 * that names the next one; a writer that finds its line behind that end appends it to the next log.
 *
 * Its methods must not overlap in one process; any number of processes may use one folder.
 */
export class BeadStore implements AsyncDisposable {
  readonly folder: string;
  readonly problems = new Problems();
  readonly #random: Random;
  /** Is told of what is read from now on. */
  listener: StoreListener | undefined;
  #book: Book;
  #log: LedgerFile;
  #logName: string;
  /** The next log, from when this one's end was read until that one is opened. */
  #next: string | undefined;
  /** Bytes of earlier logs since the last snapshot. */
  #earlierBytes = 0;
  #isLoading = true;
  /** Lines that were appended here, with what was read of them. */
  readonly #awaited = new Map<string, Outcome | undefined>();

  private constructor(
    folder: string,
    { book, log, logName }: { book: Book; log: LedgerFile; logName: string },
    random: Random,
  ) {
    this.folder = folder;
    this.#random = random;
    this.#book = book;
    this.#log = log;
    this.#logName = logName;
  }

  /**
   * Opens the ledger of a folder, and makes both where there is none.
   *
   * @throws NestError `ledger_unreadable`, `ledger_too_large`, `ledger_write_failed`.
   */
  static async open(folder: string, random: Random): Promise<BeadStore> {
    await makeLedgerFolder(folder);
    const problems = new Problems();
    const store = new BeadStore(folder, await startingPoint(folder, problems), random);
    for (const problem of problems.first) store.problems.add(problem);
    try {
      await store.#readOn();
    } catch (thrown) {
      await store[Symbol.asyncDispose]();
      throw thrown;
    }
    store.#isLoading = false;
    return store;
  }

  get book(): Book {
    return this.#book;
  }

  /** Whether the logs have grown so that a snapshot is worth its price. */
  get isDueForCompaction(): boolean {
    return this.#earlierBytes + this.#log.position > Math.max(COMPACT_AT_BYTES, this.#book.characters);
  }

  /** Reads on what this and other processes appended. @throws NestError `ledger_unreadable`, `ledger_too_large`. */
  async refresh(): Promise<void> {
    const log = this.#log;
    await this.#readOn();
    if (log !== this.#log || (await log.isIntact())) return;
    // The file was replaced under us: nothing that was appended to the old one is certain.
    for (const name of this.#awaited.keys()) this.#awaited.set(name, undefined);
    await this.#reload();
  }

  /**
   * Appends lines and waits until they are on disk; answers for each, in their order, whether it counts.
   *
   * @throws NestError `ledger_write_failed`: some of the lines may count all the same.
   */
  async commit(lines: readonly LedgerLine[]): Promise<readonly Outcome[]> {
    for (const { n } of lines) this.#awaited.set(n, undefined);
    try {
      for (const part of partsOf(lines)) await this.#append(part);
      return lines.map(({ n }) => this.#awaited.get(n) ?? "counts");
    } finally {
      this.#awaited.clear();
    }
  }

  async #append(lines: readonly LedgerLine[]): Promise<void> {
    let open = lines;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const [first] = open;
      if (first === undefined) return;
      // A log may not grow until nobody reads it any more; not even while snapshots fail.
      if (this.#log.position > FULL_LOG_BYTES) await this.compact({ at: first.at, by: first.by });
      const log = this.#log;
      await log.append(open.map(toLine).join(""));
      await this.refresh();
      open = open.filter(({ n }) => this.#awaited.get(n) === undefined);
      if (open.length > 0 && log === this.#log) throw writeFailed(log.path, "a line that was written is not there");
    }
    if (open.length > 0) throw writeFailed(this.folder, "its log was ended again and again");
  }

  /**
   * Writes a snapshot and begins a new log; at any moment of it the folder has everything. Does nothing more when another process
   * does it at the same time.
   *
   * @throws NestError `ledger_write_failed`; the ledger goes on all the same.
   */
  async compact(by: { readonly at: string; readonly by: string }): Promise<void> {
    await this.refresh();
    const next = logName(generationOf(this.#logName) + 1, this.#random.hex(8));
    // It is there before it is named: a log that is named and not there was removed with its whole generation.
    await (await openOrMakeLog(this.folder, next))[Symbol.asyncDispose]();
    await this.#log.append(toLine({ op: "seal", n: this.#random.hex(8), ...by, next } satisfies LedgerLine));
    await this.#readToEnd();
    try {
      if (this.#next === next) {
        await writeSnapshot(this.folder, next, this.#book);
        this.#earlierBytes = 0;
        await removeOldGenerations(this.folder);
      } else await removeFile(this.folder, next);
    } finally {
      await this.#readOn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
  }

  async #readOn(): Promise<void> {
    for (;;) {
      if (this.#next === undefined) await this.#readToEnd();
      if (this.#next === undefined) return;
      await this.#goOnIn(this.#next);
    }
  }

  async #readToEnd(): Promise<void> {
    await this.#log.readOn(
      (line, offset) => this.#take(line, offset),
      (offset, because) => this.problems.add({ file: this.#logName, offset, because }),
    );
  }

  #take(bytes: Buffer, offset: number): "stop" | undefined {
    const content = fromLine(bytes);
    const line = content === undefined ? undefined : LedgerLine.safeParse(content).data;
    if (line?.op === "seal" && generationOf(line.next) === generationOf(this.#logName) + 1) {
      this.#next = line.next;
      return "stop";
    }
    if (line === undefined || line.op === "seal") {
      this.problems.add({ file: this.#logName, offset, because: content === undefined ? "damaged" : "unknown" });
      return undefined;
    }
    const refused = this.#book.apply(line);
    if (this.#awaited.has(line.n)) this.#awaited.set(line.n, refused ?? "counts");
    if (refused === undefined && !this.#isLoading) this.listener?.line(line);
    return undefined;
  }

  async #goOnIn(name: string): Promise<void> {
    this.#next = undefined;
    let log = await openLogIfPresent(this.folder, name);
    if (log === undefined) {
      const { heads } = await listLedger(this.folder);
      if (heads.some((head) => generationOf(head) >= generationOf(name))) return this.#reload();
      // No snapshot came after it, so it was not removed: this is a copy that was made before it was there.
      log = await openOrMakeLog(this.folder, name);
    }
    // Who follows a ledger meets the ends that others make, with their snapshots; who opens it meets those without one.
    this.#earlierBytes = this.#isLoading ? this.#earlierBytes + this.#log.position : 0;
    if (this.#earlierBytes > MOST_BYTES) throw unreadable(this.folder, "its logs are too large together");
    await this.#log[Symbol.asyncDispose]();
    this.#log = log;
    this.#logName = name;
  }

  async #reload(): Promise<void> {
    const wasLoading = this.#isLoading;
    this.#isLoading = true;
    try {
      await makeLedgerFolder(this.folder);
      const { book, log, logName } = await startingPoint(this.folder, this.problems);
      await this.#log[Symbol.asyncDispose]();
      this.#book = book;
      this.#log = log;
      this.#logName = logName;
      this.#next = undefined;
      this.#earlierBytes = 0;
      await this.#readOn();
    } finally {
      this.#isLoading = wasLoading;
    }
    if (!wasLoading) this.listener?.reload();
  }
}

/** Lines in portions for one write each. */
function* partsOf(lines: readonly LedgerLine[]): Generator<LedgerLine[]> {
  let part: LedgerLine[] = [];
  let characters = 0;
  for (const line of lines) {
    const length = JSON.stringify(line).length;
    if (part.length > 0 && characters + length > WRITE_CHARACTERS) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(line);
    characters += length;
  }
  yield part;
}
