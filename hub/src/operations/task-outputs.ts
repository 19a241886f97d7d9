import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CancelTimer, type Clock, isAbsent, type Log, plainText, sentenceOf } from "@nest/kit";

/** What an agent printed last, as its relay reported it: text without control characters. */
export interface TaskOutput {
  /** When the relay reported it (ms). */
  readonly at: number;
  readonly text: string;
}

export interface TaskOutputsDeps {
  /** Made when the first output comes. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** All outputs together; the oldest days go first. */
  readonly mostBytes?: number;
}

/** A task whose output is kept. Outputs lie in one folder a day, so that old ones go at once. */
export interface OutputOf {
  readonly gen: number;
  readonly assignedAt: number;
}

const LONGEST_LINES = 200;
const LONGEST = 32 * 1024;
const MOST_AGE_DAYS = 14;
const MOST_BYTES = 256 * 1024 * 1024;
const PRUNE_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Keeps what agents printed last, one small file a task in the hub's data folder. It is for people to look at, so it is written
 * beside the work and without a promise: what a crash loses, the next report brings.
 */
export class TaskOutputs {
  readonly #deps: TaskOutputsDeps;
  readonly #waiting = new Map<number, OutputOf & TaskOutput>();
  #writing: Promise<void> | undefined;
  #cancel: CancelTimer = () => undefined;
  #inTrouble = false;

  constructor(deps: TaskOutputsDeps) {
    this.#deps = deps;
  }

  start(): void {
    void this.prune();
    this.#cancel = this.#deps.clock.every(PRUNE_EVERY_MS, () => void this.prune());
  }

  /** Resolves when everything that came is written. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#writing;
  }

  /** Takes a report's lines. Of many reports that come while one is written only the last of each task is kept. */
  take(task: OutputOf, lines: readonly string[]): void {
    const text = plainText(lines.slice(-LONGEST_LINES).join("\n")).trimEnd().slice(-LONGEST);
    if (text === "") return;
    this.#waiting.set(task.gen, { ...task, at: this.#deps.clock.now(), text });
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** What is known of a task's output; undefined where none came, or it was pruned. */
  async read(task: OutputOf): Promise<TaskOutput | undefined> {
    const waiting = this.#waiting.get(task.gen);
    if (waiting !== undefined) return { at: waiting.at, text: waiting.text };
    try {
      const path = this.#pathOf(task);
      const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
      return { at: mtimeMs, text };
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw thrown;
    }
  }

  /** Removes days that are too old, and the oldest ones while all together are too large. Never throws. */
  async prune(): Promise<void> {
    const { folder, clock, mostBytes = MOST_BYTES } = this.#deps;
    try {
      const days = (await readdir(folder)).filter((name) => DAY.test(name)).sort();
      const oldest = dayOf(clock.now() - MOST_AGE_DAYS * DAY_MS);
      let left = mostBytes;
      // From the newest on: what no longer fits goes, and everything before it.
      for (const day of days.reverse()) {
        left -= day < oldest ? Number.POSITIVE_INFINITY : await bytesIn(join(folder, day));
        if (left < 0) await rm(join(folder, day), { recursive: true, force: true });
      }
    } catch (thrown) {
      if (!isAbsent(thrown)) this.#complain(thrown);
    }
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      const [next] = this.#waiting.values();
      if (next === undefined) return;
      try {
        const path = this.#pathOf(next);
        await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
        await writeFile(`${path}.part`, next.text, { mode: 0o600 });
        await rename(`${path}.part`, path);
        this.#inTrouble = false;
      } catch (thrown) {
        this.#complain(thrown);
      }
      // One that came in the meantime is newer, and is written next.
      if (this.#waiting.get(next.gen) === next) this.#waiting.delete(next.gen);
    }
  }

  #complain(thrown: unknown): void {
    if (!this.#inTrouble)
      this.#deps.log.warn({ because: sentenceOf(thrown) }, "what agents print cannot be kept; work goes on");
    this.#inTrouble = true;
  }

  #pathOf({ gen, assignedAt }: OutputOf): string {
    return join(this.#deps.folder, dayOf(assignedAt), `${gen}.txt`);
  }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(folder)) sum += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
  return sum;
}
