import type { z } from "zod";
import { createStore, useStore } from "../store/store.ts";

/** How the page's line to its server is. */
export interface Connection {
  /** `none` where nothing is followed, `connecting` until the first event, `offline` while the server does not answer. */
  readonly state: "none" | "connecting" | "live" | "offline";
}

/** The page's one line to its server. */
export const connection = createStore<Connection>({ state: "none" });

export function useConnection<Part>(pick: (connection: Connection) => Part): Part {
  return useStore(connection, pick);
}

/** One kind of event: its name, how it is described, and what to do with it. */
export interface StreamEvent {
  readonly name: string;
  readonly take: (json: unknown) => void;
}

/** An event whose data is checked against its description; one that does not fit is passed over. */
export function streamEvent<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  take: (value: z.infer<Schema>) => void,
): StreamEvent {
  return {
    name,
    take: (json) => {
      const checked = schema.safeParse(json);
      if (checked.success) take(checked.data);
    },
  };
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;

/** Follows a server's event stream for as long as the page lives; reconnects by itself. */
class EventStreamFollower {
  readonly #url: string;
  readonly #events: readonly StreamEvent[];
  #source: EventSource | undefined;
  #retryMs = FIRST_RETRY_MS;
  #retrying: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, events: readonly StreamEvent[]) {
    this.#url = url;
    this.#events = events;
  }

  connect(): void {
    clearTimeout(this.#retrying);
    this.#source?.close();
    const source = new EventSource(this.#url);
    this.#source = source;
    for (const { name, take } of this.#events) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        this.#retryMs = FIRST_RETRY_MS;
        take(JSON.parse(event.data));
        if (connection.get().state !== "live") connection.set({ state: "live" });
      });
    }
    source.addEventListener("error", () => {
      if (connection.get().state !== "offline") connection.set({ state: "offline" });
      // An answer that is no stream ends it for the browser; not for us.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#retrying = setTimeout(() => this.connect(), this.#retryMs * (0.5 + Math.random() / 2));
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    });
  }

  reconnectIfOffline(): void {
    if (connection.get().state !== "offline") return;
    this.#retryMs = FIRST_RETRY_MS;
    this.connect();
  }
}

let follower: EventStreamFollower | undefined;

/** Follows the stream at an address from now on. */
export function followStream(url: string, events: readonly StreamEvent[]): void {
  const first = follower === undefined;
  follower = new EventStreamFollower(url, events);
  connection.set({ state: "connecting" });
  follower.connect();
  if (!first) return;
  // A network that is back, or somebody who looks again, is a better moment than the next try.
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnect();
  });
}

/** Tries at once where the server does not answer. */
export function reconnect(): void {
  follower?.reconnectIfOffline();
}
