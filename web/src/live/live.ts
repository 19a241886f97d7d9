import { contribute } from "@nest/protocol";
import { useSyncExternalStore } from "react";
import { z } from "zod";
import { changedFleet, type Fleet, wholeFleet } from "./fleet.ts";

/** What the hub tells as it happens. */
export interface Live {
  /** `connecting` until the first word, `away` while the hub does not answer. */
  readonly link: "connecting" | "live" | "away";
  readonly status: contribute.StatusReply | undefined;
  readonly fleet: Fleet | undefined;
  /** Newest first. */
  readonly activity: readonly contribute.ActivityEntry[];
}

const MOST_ACTIVITY = 500;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 15_000;
const Hello = z.object({ status: contribute.StatusReply, activity: z.array(contribute.ActivityEntry) });

let now: Live = { link: "connecting", status: undefined, fleet: undefined, activity: [] };
let stream: EventSource | undefined;
let retryMs = FIRST_RETRY_MS;
let retrying: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

function become(change: Partial<Live>): void {
  now = { ...now, ...change };
  for (const watcher of watchers) watcher();
}

// A network that is back, or somebody who looks again, is a better moment than the next try.
addEventListener("online", lookAgain);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") lookAgain();
});

function lookAgain(): void {
  if (stream === undefined || now.link !== "away") return;
  retryMs = FIRST_RETRY_MS;
  followHub();
}

/** Follows the hub's event stream for as long as the page lives; reconnects by itself. */
export function followHub(): void {
  clearTimeout(retrying);
  stream?.close();
  const made = new EventSource("/api/contribute/events?fleet=changes");
  stream = made;
  const on = <T>(name: string, schema: z.ZodType<T>, take: (value: T) => void) =>
    made.addEventListener(name, (event: MessageEvent<string>) => {
      const checked = schema.safeParse(JSON.parse(event.data));
      if (checked.success) take(checked.data);
    });
  on("hello", Hello, ({ status, activity }) => {
    retryMs = FIRST_RETRY_MS;
    become({ link: "live", status, activity: joined(activity, now.activity) });
  });
  on("status", contribute.StatusReply, (status) => become({ status }));
  on("work", contribute.FleetReply, (fleet) => become({ fleet: wholeFleet(fleet) }));
  on("changes", contribute.FleetChanges, (changes) => {
    if (now.fleet !== undefined) become({ fleet: changedFleet(now.fleet, changes) });
  });
  on("activity", contribute.ActivityEntry, (entry) => become({ activity: joined([entry], now.activity) }));
  made.addEventListener("error", () => {
    if (now.link !== "away") become({ link: "away" });
    // An answer that is no stream ends it for the browser; not for us.
    if (made.readyState !== EventSource.CLOSED) return;
    retrying = setTimeout(followHub, retryMs * (0.5 + Math.random() / 2));
    retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
  });
}

function joined(
  added: readonly contribute.ActivityEntry[],
  known: readonly contribute.ActivityEntry[],
): contribute.ActivityEntry[] {
  const byId = new Map([...known, ...added].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MOST_ACTIVITY);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** One part of what the hub tells; drawn again only when that part is another one. */
export function useLive<Part>(pick: (live: Live) => Part): Part {
  return useSyncExternalStore(watch, () => pick(now));
}

/** Calls `act` after each change; answers with how to stop. */
export function whenLive(act: (live: Live) => void): () => void {
  return watch(() => act(now));
}
