import type { ServerResponse } from "node:http";
import type { Clock } from "@nest/kit";
import type { Activity } from "../leases/ledger.ts";
import type { ReadModel, Sees } from "./read-model.ts";

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
  /** Each with what it may see; there are few kinds of those, and each kind is written once. */
  readonly #watchers = new Map<ServerResponse, Sees>();
  #changed = false;
  #scheduled = false;
  readonly #stopKeepAlive: () => void;

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
    this.#stopKeepAlive = clock.every(KEEP_ALIVE_MS, () => this.#broadcast(() => ":\n\n"));
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; false when there are too many. `sees` is the same function for everybody who sees the same. */
  watch(response: ServerResponse, sees: Sees): boolean {
    if (this.#watchers.size >= MOST_WATCHERS) return false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      connection: "keep-alive",
    });
    const { activity } = this.#model.activity(REPLAY, undefined, sees);
    response.write(
      `retry: 2000\n\n${event("hello", { activity, status: this.#model.status(sees) })}${event("work", this.#model.fleet(sees))}`,
    );
    this.#watchers.set(response, sees);
    response.on("close", () => this.#watchers.delete(response));
    response.on("error", () => this.#watchers.delete(response));
    return true;
  }

  /** Something happened that is on disk. */
  tell(lines: readonly Activity[]): void {
    if (this.#watchers.size === 0) return;
    if (lines.length > 0)
      this.#broadcast((sees) => lines.map((line) => event("activity", this.#model.entry(line, sees))).join(""));
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
      this.#broadcast(
        (sees) => `${event("status", this.#model.status(sees))}${event("work", this.#model.fleet(sees))}`,
      );
    });
  }

  close(): void {
    this.#stopKeepAlive();
    for (const watcher of this.#watchers.keys()) watcher.end();
  }

  #broadcast(tell: (sees: Sees) => string): void {
    const told = new Map<Sees, string>();
    for (const [watcher, sees] of this.#watchers) {
      const text = told.get(sees) ?? tell(sees);
      told.set(sees, text);
      if (watcher.writableLength > MOST_QUEUED_BYTES) watcher.destroy();
      else watcher.write(text);
    }
  }
}

function event(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
