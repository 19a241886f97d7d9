import { stream } from "@nest/protocol";
import type { z } from "zod";
import { createStore, useStore } from "../store/store.ts";

/** How the page's line to its server is. */
export interface Connection {
  /**
   * `none` where nothing is followed, `connecting` until the first event, `offline` while the line is broken, `silent` while it
   * stands and nothing comes: a server that is frozen keeps its lines.
   */
  readonly state: "none" | "connecting" | "live" | "offline" | "silent";
  /** By this machine's clock; undefined before the first event. Kept when the state changes, not with every event. */
  readonly lastHeardAt: number | undefined;
}

/** The page's one line to its server. */
export const connection = createStore<Connection>({ state: "none", lastHeardAt: undefined });

export function useConnection<Part>(pick: (connection: Connection) => Part): Part {
  return useStore(connection, pick);
}

/** One kind of event: its name, and what to do with what comes with it. */
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
const LOOK_EVERY_MS = 1000;
/** `EventSource.CLOSED`: the browser will not connect again by itself. */
const CLOSED = 2;

/** What the browser's event source is needed for. */
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

/** Follows a server's event stream; says when it breaks or falls silent, and connects again by itself. */
export class StreamFollower {
  readonly #deps: FollowerDeps;
  #source: Source | undefined;
  #retryMs = FIRST_RETRY_MS;
  #stopRetry: () => void = () => {};
  #stopLooking: () => void = () => {};
  #lastHeardAt: number | undefined;
  /** When this connection was begun, or brought something. */
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

  /** Tries at once where nothing is heard. */
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
      // An answer that is no stream ends it for the browser; not for us.
      if (source.readyState !== CLOSED) return;
      this.#stopRetry = after(this.#retryMs * (0.5 + Math.random() / 2), () => this.#connect());
      this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2);
    });
  }

  /** A server that stands still answers nothing and closes nothing: only the missing heartbeat tells. */
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

/** Follows the stream at an address for as long as the page lives. */
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
  // A network that is back, or somebody who looks again, is a better moment than the next try.
  addEventListener("online", reconnect);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnect();
  });
}

/** Tries at once where nothing is heard from the server. */
export function reconnect(): void {
  follower?.retryNow();
}
