import type { QueryClient } from "@tanstack/react-query";
import { connection } from "../../shared/stream/event-stream.ts";
import { live } from "./live.ts";

/** Lists are read again at most this often, give or take a fifth: the hub tells all open pages of a change at the same moment. */
const EVERY_MS = 1500;
const SPREAD = 0.2;
/** What changes with every task, on a busy hub always, is read again at most this often. */
const SELDOM_MS = 6000;

/**
 * Reads lists again when the stream shows that they have changed: the queue when its numbers change, configuration and pauses when the
 * revision changes, contributors and the audit when there is new activity. Only lists on the screen are read, and nothing is read
 * while nothing happens.
 */
export function refetchWhenChanged(client: QueryClient): () => void {
  /** The lists to read again, and when at the earliest. */
  const due = new Map<string, number>();
  const readAt = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    if (timer === undefined) timer = setTimeout(readDue, EVERY_MS * (1 - SPREAD + 2 * SPREAD * Math.random()));
  };
  const readDue = () => {
    timer = undefined;
    const now = Date.now();
    for (const [name, earliest] of due) {
      if (now < earliest) continue;
      due.delete(name);
      readAt.set(name, now);
      void client.invalidateQueries({ queryKey: [name] });
    }
    if (due.size > 0) wait();
  };
  const soon = (...names: string[]) => {
    for (const name of names) due.set(name, 0);
    wait();
  };
  const seldom = (...names: string[]) => {
    for (const name of names) if (!due.has(name)) due.set(name, (readAt.get(name) ?? 0) + SELDOM_MS);
    wait();
  };
  let before = { state: "", queue: "", revision: "", last: 0 };
  const compare = () => {
    const { status, activity } = live.get();
    const after = {
      state: connection.get().state,
      queue: JSON.stringify([status?.actionable_items, status?.total_items, status?.in_flight, status?.withheld]),
      revision: status?.revision ?? "",
      last: activity[0]?.id ?? 0,
    };
    if (after.state === "live" && (before.state === "offline" || before.state === "silent"))
      void client.invalidateQueries();
    if (after.queue !== before.queue) soon("queue");
    if (after.revision !== before.revision) soon("queue", "governor", "audit", "pauses", "issue");
    if (after.last !== before.last) {
      soon("contributor", "issue");
      seldom("contributors", "audit", "history");
    }
    before = after;
  };
  const stops = [live.subscribe(compare), connection.subscribe(compare)];
  return () => {
    for (const stop of stops) stop();
  };
}
