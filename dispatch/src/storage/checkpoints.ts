import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { LOG_BYTES } from "./log-length.ts";

/** What the thread is told: to copy the log, or to close the file and end. */
export type CheckpointOrder = "copy" | "end";

/** What it answers: how long the log was when it was copied. */
export interface Checkpointed {
  readonly pages: number;
}

const thread = new URL("./checkpoint-thread.ts", import.meta.url);
/** It does one thing and remembers nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };
/** The log is copied after so many rows. */
const ROWS_A_COPY = 4000;
/** A log of this length begins anew: half of what it was given. */
const LONGEST_LOG_PAGES = LOG_BYTES / 2 / 4096;

/**
 * Copies SQLite's write-ahead log into the database, in a thread of its own: a commit that did it by the way would hold up every
 * socket for tens of milliseconds. Only what was written meanwhile is copied by the writing connection itself, so that the log can
 * begin anew instead of growing for as long as there is load.
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

  /** So many rows were committed. */
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
      // The commits tell of a disk that takes nothing; the log stays whole and grows until the next try.
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
