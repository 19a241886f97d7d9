import type { ServerResponse } from "node:http";
import type { Clock } from "@nest/kit";
import type { Activity } from "../leases/ledger.ts";
import { activityEntry, type ReadModel } from "./read-model.ts";

/** How often watchers are told of status and work at most. */
const SNAPSHOT_EVERY_MS = 1000;
const KEEP_ALIVE_MS = 15_000;
const MOST_WATCHERS = 1000;
/** A watcher that does not read this much is let go; it comes back and gets the whole picture. */
const MOST_QUEUED_BYTES = 1024 * 1024;
const REPLAY = 20;

/** Server-sent events for everybody who watches: `hello`, then `activity` as it happens, `status` and `work` when they changed. */
export class EventStream {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  readonly #watchers = new Set<ServerResponse>();
  #changed = false;
  #scheduled = false;
  readonly #stopKeepAlive: () => void;

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
    this.#stopKeepAlive = clock.every(KEEP_ALIVE_MS, () => this.#broadcast(":\n\n"));
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; false when there are too many. */
  watch(response: ServerResponse): boolean {
    if (this.#watchers.size >= MOST_WATCHERS) return false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      connection: "keep-alive",
    });
    const { activity } = this.#model.activity(REPLAY, undefined);
    response.write(
      `retry: 2000\n\n${event("hello", { activity, status: this.#model.status() })}${event("work", this.#model.fleet())}`,
    );
    this.#watchers.add(response);
    response.on("close", () => this.#watchers.delete(response));
    response.on("error", () => this.#watchers.delete(response));
    return true;
  }

  /** Something happened that is on disk. */
  tell(lines: readonly Activity[]): void {
    if (this.#watchers.size === 0) return;
    if (lines.length > 0) this.#broadcast(lines.map((line) => event("activity", activityEntry(line))).join(""));
    this.change();
  }

  /** Status or work may have changed. */
  change(): void {
    this.#changed = true;
    if (this.#scheduled || this.#watchers.size === 0) return;
    this.#scheduled = true;
    this.#clock.after(SNAPSHOT_EVERY_MS, () => {
      this.#scheduled = false;
      if (!this.#changed) return;
      this.#changed = false;
      this.#broadcast(`${event("status", this.#model.status())}${event("work", this.#model.fleet())}`);
    });
  }

  close(): void {
    this.#stopKeepAlive();
    for (const watcher of this.#watchers) watcher.end();
  }

  #broadcast(text: string): void {
    for (const watcher of this.#watchers) {
      if (watcher.writableLength > MOST_QUEUED_BYTES) watcher.destroy();
      else watcher.write(text);
    }
  }
}

function event(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
