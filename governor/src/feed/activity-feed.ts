import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type Log, readTextIfPresent, sentenceOf } from "@nest/kit";
import { type NestActivityEvent, nestEvents } from "@nest/protocol";

type Line = nestEvents.NestActivity;

const FILE_BYTES = 2 * 1024 * 1024;
const MOST_LINES = 5000;

export interface FeedDeps {
  /** `<data>`: the feed is `activity.jsonl` in it, and the file before it `activity.jsonl.1`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What happened on a nest, newest first, on disk over restarts. It is for people to read: a line that a crash or a full disk loses is
 * missed by nobody else.
 */
export class ActivityFeed {
  readonly #deps: FeedDeps;
  readonly #listeners = new Set<(line: Line) => void>();
  /** Oldest first. */
  #lines: Line[] = [];
  #writing: Promise<void> = Promise.resolve();
  #bytes = 0;

  private constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  static async open(deps: FeedDeps): Promise<ActivityFeed> {
    const feed = new ActivityFeed(deps);
    for (const name of ["activity.jsonl.1", "activity.jsonl"]) {
      const size = await stat(join(deps.folder, name)).then(
        ({ size: bytes }) => bytes,
        () => 0,
      );
      // One that somebody else made as large as that is not read.
      const text = size > 2 * FILE_BYTES ? "" : ((await readTextIfPresent(join(deps.folder, name))) ?? "");
      feed.#lines.push(...text.split("\n").flatMap(readLine));
      if (name === "activity.jsonl") feed.#bytes = size;
    }
    feed.#lines = feed.#lines.slice(-MOST_LINES);
    return feed;
  }

  /** Tells what happened now. */
  tell(event: NestActivityEvent): void {
    const line: Line = { at: new Date(this.#deps.clock.now()).toISOString(), ...withoutAbsent(event) };
    this.#lines.push(line);
    if (this.#lines.length > MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
    this.#writing = this.#writing.then(() => this.#write(line));
    for (const listener of this.#listeners) listener(line);
  }

  onLine(listener: (line: Line) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A page of the feed, newest first; `before` is the cursor of the page before. */
  page(limit: number, before?: string, agent?: string): { readonly activity: Line[]; readonly next_cursor?: string } {
    const end = before === undefined ? this.#lines.length : Math.min(this.#lines.length, Number(before) || 0);
    const activity: Line[] = [];
    let at = end - 1;
    for (; at >= 0 && activity.length < limit; at -= 1) {
      const line = this.#lines[at];
      if (line !== undefined && (agent === undefined || line.agent === agent)) activity.push(line);
    }
    return { activity, ...(at < 0 ? {} : { next_cursor: String(at + 1) }) };
  }

  /** Resolves when everything that was told is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #write(line: Line): Promise<void> {
    const path = join(this.#deps.folder, "activity.jsonl");
    const text = `${JSON.stringify(line)}\n`;
    try {
      if (this.#bytes > FILE_BYTES) {
        await rename(path, `${path}.1`);
        this.#bytes = 0;
      }
      await appendFile(path, text, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(text);
    } catch (thrown) {
      this.#deps.log.warn({ err: sentenceOf(thrown) }, "a line of the activity cannot be written");
    }
  }
}

function readLine(text: string): Line[] {
  if (text.trim() === "") return [];
  try {
    const read = nestEvents.NestActivity.safeParse(JSON.parse(text));
    return read.success ? [read.data] : [];
  } catch {
    return [];
  }
}

function withoutAbsent(event: NestActivityEvent): Omit<Line, "at"> {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)) as Omit<Line, "at">;
}
