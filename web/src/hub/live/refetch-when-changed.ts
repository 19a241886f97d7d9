import type { QueryClient } from "@tanstack/react-query";
import { connection } from "../../shared/stream/event-stream.ts";
import { live } from "./live.ts";

/** Lists are read again at most this often. */
const EVERY_MS = 1500;

/**
 * Reads lists again when the stream shows that they have changed: the queue when its numbers change, configuration and pauses when the
 * revision changes, contributors and the audit when there is new activity. Only lists on the screen are read, and nothing is read
 * while nothing happens.
 */
export function refetchWhenChanged(client: QueryClient): () => void {
  const due = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (...names: string[]) => {
    for (const name of names) due.add(name);
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const name of due) void client.invalidateQueries({ queryKey: [name] });
      due.clear();
    }, EVERY_MS);
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
    if (after.last !== before.last) soon("contributors", "contributor", "audit", "history", "issue");
    before = after;
  };
  const stops = [live.subscribe(compare), connection.subscribe(compare)];
  return () => {
    for (const stop of stops) stop();
  };
}
