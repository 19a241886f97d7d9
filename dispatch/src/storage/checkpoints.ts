import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { LOG_BYTES } from "./log-length.ts";

/** What the thread is asked to do: copy the log, or close the file and end. */
export type CheckpointOrder = "copy" | "end";

/** The thread's answer: the length of the log when it was copied. */
export interface Checkpointed {
  readonly pages: number;
}

const thread = new URL("./checkpoint-thread.ts", import.meta.url);
/** The thread keeps no data between copies, so little memory is enough. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };
/** The log is copied each time this many rows were written. */
const ROWS_A_COPY = 4000;
/** A log this long is restarted from its beginning; it is half of the reserved length. */
const LONGEST_LOG_PAGES = LOG_BYTES / 2 / 4096;

/**
 * Copies SQLite's write-ahead log into the database, in a separate thread: a commit that copied the log would delay every
 * connection for tens of milliseconds. The writing connection copies only what was written during that time; then the log can
 * restart from its beginning instead of growing for as long as the load lasts.
 */
export class Checkpoints {
  readonly #sqlite: DatabaseSync;
  readonly #file: string;
  #thread: Worker | undefined;
  #rows = 0;
  #isCopying = false;

  /** `sqlite` is the connection that writes `file`. */
  constructor(sqlite: DatabaseSync, file: string) {
    this.#sqlite = sqlite;
    this.#file = file;
  }

  /** Call after a commit of this many rows. */
  written(rows: number): void {
    this.#rows += rows;
    if (this.#rows < ROWS_A_COPY || this.#isCopying) return;
    this.#rows = 0;
    this.#isCopying = true;
    this.#tell("copy");
  }

  /** Resolves when the thread has closed the file. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#isCopying = true;
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    this.#tell("end");
    await ended;
  }

  #tell(order: CheckpointOrder): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(order);
  }

  #copyTheRest(): void {
    try {
      if (this.#sqlite.isOpen) this.#sqlite.exec("pragma wal_checkpoint(passive)");
    } catch {
      // Commits report a full disk; the log stays intact and grows until the next try.
    }
  }

  #start(): Worker {
    const worker = new Worker(thread, { workerData: { file: this.#file }, execArgv: [], resourceLimits });
    worker.on("message", ({ pages }: Checkpointed) => {
      this.#isCopying = false;
      if (pages > LONGEST_LOG_PAGES) this.#copyTheRest();
    });
    worker.unref();
    return worker;
  }
}
