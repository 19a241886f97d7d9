import type { ServerResponse } from "node:http";
import type { CancelTimer, Clock } from "@nest/kit";
import { type nestEvents, stream } from "@nest/protocol";

const MOST_WATCHERS = 200;
/** Of one person, or of one address where nobody is signed in. */
const MOST_OF_ONE = 10;
/** A watcher that reads so slowly that more than this waits for it is disconnected; it comes back and begins anew. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** An agent's line changes many times a second while it works: people are told this often. */
const GATHER_MS = 500;

export interface EventStreamDeps {
  readonly clock: Clock;
  /** Everything that a new watcher needs to know. */
  readonly hello: () => object;
}

type EventName = keyof typeof nestEvents.events;

/** Server-sent events for the dashboard: `hello`, then whatever changed, and a heartbeat that a page can miss. */
export class NestEventStream {
  readonly #deps: EventStreamDeps;
  /** With whether each may still watch. */
  readonly #watchers = new Map<ServerResponse, { readonly who: string; readonly isStill: () => boolean }>();
  readonly #waiting = new Map<string, { readonly name: EventName; readonly make: () => object | undefined }>();
  readonly #stopHeartbeat: CancelTimer;
  #cancelGather: CancelTimer | undefined;

  constructor(deps: EventStreamDeps) {
    this.#deps = deps;
    this.#stopHeartbeat = deps.clock.every(stream.STREAM_HEARTBEAT_MS, () => {
      for (const [response, { isStill }] of this.#watchers) if (!isStill()) this.#end(response);
      this.#broadcast("heartbeat", { at: new Date(deps.clock.now()).toISOString() });
    });
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; false when there are too many. `isStill` is asked again and again: whoever lost their role is disconnected. */
  watch(response: ServerResponse, who: string, isStill: () => boolean): boolean {
    const ofOne = [...this.#watchers.values()].filter((watcher) => watcher.who === who).length;
    if (this.#watchers.size >= MOST_WATCHERS || ofOne >= MOST_OF_ONE) return false;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    this.#watchers.set(response, { who, isStill });
    response.on("close", () => this.#watchers.delete(response));
    response.write(text("hello", this.#deps.hello()));
    return true;
  }

  /** Tells something at once. */
  tell(name: EventName, value: object): void {
    if (this.#watchers.size > 0) this.#broadcast(name, value);
  }

  /** Tells the newest state of one thing soon; changes of the same thing until then are told once. */
  tellSoon(name: EventName, key: string, make: () => object | undefined): void {
    if (this.#watchers.size === 0) return;
    this.#waiting.set(`${name} ${key}`, { name, make });
    this.#cancelGather ??= this.#deps.clock.after(GATHER_MS, () => {
      this.#cancelGather = undefined;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { name: each, make: latest } of waiting) {
        const value = latest();
        if (value !== undefined) this.#broadcast(each, value);
      }
    });
  }

  close(): void {
    this.#stopHeartbeat();
    this.#cancelGather?.();
    for (const response of this.#watchers.keys()) this.#end(response);
  }

  /** Ends a stream. It is told of nothing more: a write after the end would be an error that nobody expects. */
  #end(response: ServerResponse): void {
    this.#watchers.delete(response);
    response.end();
  }

  #broadcast(name: EventName, value: object): void {
    const line = text(name, value);
    for (const response of this.#watchers.keys()) {
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
      else response.write(line);
    }
  }
}

function text(name: EventName, value: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
