import { stream } from "@nest/protocol";
import type { z } from "zod";
import { createStore, useStore } from "../store/store.ts";

/** The state of the page's event stream. */
export interface Connection {
  /**
   * `none`: the app follows no stream. `connecting`: no event has come yet. `offline`: the connection is broken. `silent`: the
   * connection is open but no heartbeat comes, because the server is frozen.
   */
  readonly state: "none" | "connecting" | "live" | "offline" | "silent";
  /** When the last event came, by this machine's clock; undefined before the first. Updated only when the state changes. */
  readonly lastHeardAt: number | undefined;
}

/** The connection of the page's one event stream. */
export const connection = createStore<Connection>({ state: "none", lastHeardAt: undefined });

export function useConnection<Part>(pick: (connection: Connection) => Part): Part {
  return useStore(connection, pick);
}

/** One kind of event: its name, and what to do with its data. */
export interface StreamEvent {
  readonly name: string;
  readonly take: (json: unknown) => void;
}

/** A kind of event whose data is checked against a schema. Events that do not match are ignored. */
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
const LOOK_EVERY_MS = 1000;
/** `EventSource.CLOSED`: the browser will not connect again by itself. */
const CLOSED = 2;

/** The part of the browser's `EventSource` that is used here. */
export interface Source {
  readonly readyState: number;
  addEventListener(name: string, act: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export interface FollowerDeps {
  readonly url: string;
  readonly events: readonly StreamEvent[];
  readonly open: (url: string) => Source;
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
}

/** Follows a server's event stream. Reports when it breaks or falls silent, and reconnects by itself. */
export class StreamFollower {
  readonly #deps: FollowerDeps;
  #source: Source | undefined;
  #retryMs = FIRST_RETRY_MS;
  #stopRetry: () => void = () => {};
  #stopLooking: () => void = () => {};
  #lastHeardAt: number | undefined;
  /** When this connection was opened, or when it last brought an event. */
  #quietSince = 0;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
  }

  follow(): void {
    this.#become("connecting");
    this.#connect();
    this.#look();
  }

  stop(): void {
    this.#stopRetry();
    this.#stopLooking();
    this.#source?.close();
  }

  /** Reconnects at once if the stream is broken or silent. */
  retryNow(): void {
    const { state } = connection.get();
    if (state !== "offline" && state !== "silent") return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#connect();
  }

  #connect(): void {
    this.#stopRetry();
    this.#source?.close();
    const { url, events, open, after, now } = this.#deps;
    const source = open(url);
    this.#source = source;
    this.#quietSince = now();
    const heard = { name: "heartbeat", take: () => {} };
    for (const { name, take } of [...events, heard]) {
      source.addEventListener(name, (event) => {
        if (source !== this.#source) return;
        this.#retryMs = FIRST_RETRY_MS;
        this.#lastHeardAt = now();
        this.#quietSince = now();
        take(JSON.parse(event.data));
        this.#become("live");
      });
    }
    source.addEventListener("error", () => {
      if (source !== this.#source) return;
      this.#become("offline");
      // After an answer that is not a stream the browser gives up. We reconnect.
      if (source.readyState !== CLOSED) return;
      this.#stopRetry = after(this.#retryMs * (0.5 + Math.random() / 2), () => this.#connect());
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    });
  }

  /** A frozen server neither answers nor closes the connection, so only the missing heartbeat shows it. */
  #look(): void {
    const { now, after } = this.#deps;
    if (now() - this.#quietSince > stream.STREAM_SILENCE_MS) {
      this.#become("silent");
      this.#connect();
    }
    this.#stopLooking = after(LOOK_EVERY_MS, () => this.#look());
  }

  #become(state: Connection["state"]): void {
    if (connection.get().state !== state) connection.set({ state, lastHeardAt: this.#lastHeardAt });
  }
}

let follower: StreamFollower | undefined;

/** Follows the stream at an address, in place of the one that was followed before, until the page is closed. */
export function followStream(url: string, events: readonly StreamEvent[]): void {
  follower?.stop();
  follower = new StreamFollower({
    url,
    events,
    open: (address) => new EventSource(address),
    now: () => Date.now(),
    after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
  });
  follower.follow();
}

/** Reconnects at once if the stream is broken or silent. */
export function reconnect(): void {
  follower?.retryNow();
}

/** Connects at once when the network comes back or the tab becomes visible, instead of waiting for the next retry. */
export function reconnectOnReturn(): void {
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnect();
  });
}
