import type { QueryClient } from "@tanstack/react-query";
import { connection } from "../../shared/stream/event-stream.ts";
import { live } from "./live.ts";

/** Lists are read anew at most this often, however much happens. */
const EVERY_MS = 1500;

/**
 * Reads lists anew when the stream says that they have changed: the queue by its numbers and its order, the configuration by
 * its revision, contributors and audit when something was done. Nothing is asked for while nothing happens, and only what is
 * on the screen is asked for at all.
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
    if (after.revision !== before.revision) soon("queue", "governor", "audit");
    if (after.last !== before.last) soon("contributors", "contributor", "audit", "history");
    before = after;
  };
  const stops = [live.subscribe(compare), connection.subscribe(compare)];
  return () => {
    for (const stop of stops) stop();
  };
}
