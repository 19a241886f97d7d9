import { type contribute, stream } from "@nest/protocol";
import { createStore, useStore } from "../../shared/store/store.ts";
import { followStream, streamEvent } from "../../shared/stream/event-stream.ts";
import { changedFleet, type Fleet, wholeFleet } from "./fleet.ts";

/** The live state of the hub, from its event stream. */
export interface Live {
  readonly status: contribute.StatusReply | undefined;
  readonly fleet: Fleet | undefined;
  /** Newest first. */
  readonly activity: readonly contribute.ActivityEntry[];
}

const events = stream.streamEvents;
const MOST_ACTIVITY = 500;
/** New lines of the feed are shown together at most this often: a busy hub sends hundreds a second, each an event of its own. */
const ACTIVITY_EVERY_MS = 250;

export const live = createStore<Live>({ status: undefined, fleet: undefined, activity: [] });

function change(part: Partial<Live>): void {
  live.set({ ...live.get(), ...part });
}

/** Follows the hub's event stream for as long as the page lives. */
export function followHub(): void {
  followStream("/api/contribute/events?fleet=changes", [
    streamEvent("hello", events.hello, ({ status, activity }) =>
      change({ status, activity: newestFirst(activity, live.get().activity) }),
    ),
    streamEvent("status", events.status, (status) => change({ status })),
    streamEvent("work", events.work, (fleet) => change({ fleet: wholeFleet(fleet) })),
    streamEvent("changes", events.changes, (changes) => {
      const { fleet } = live.get();
      if (fleet !== undefined) change({ fleet: changedFleet(fleet, changes) });
    }),
    streamEvent("activity", events.activity, showSoon),
  ]);
}

let unshown: contribute.ActivityEntry[] = [];

function showSoon(entry: contribute.ActivityEntry): void {
  unshown.push(entry);
  if (unshown.length > 1) return;
  setTimeout(() => {
    change({ activity: newestFirst(unshown, live.get().activity) });
    unshown = [];
  }, ACTIVITY_EVERY_MS);
}

function newestFirst(
  added: readonly contribute.ActivityEntry[],
  known: readonly contribute.ActivityEntry[],
): contribute.ActivityEntry[] {
  const byId = new Map([...known, ...added].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MOST_ACTIVITY);
}

/** Reads one part of the live state. The component renders again only when that part changes. */
export function useLive<Part>(pick: (live: Live) => Part): Part {
  return useStore(live, pick);
}
