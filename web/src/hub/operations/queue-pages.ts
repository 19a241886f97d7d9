import { contribute } from "@nest/protocol";
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";

const ROWS = 100;

/** Which issues to read: those on offer or those withheld for one reason, filtered by a text in name or title. */
export interface QueueChoice {
  readonly reason?: string | undefined;
  readonly search: string;
}

export interface QueuePages {
  /** How many there are in all; undefined until the hub has said so. */
  readonly total: number | undefined;
  /** How many issues are hidden from this person because their repositories are private. */
  readonly hidden: number;
  readonly problem: unknown;
  readonly itemAt: (index: number) => contribute.QueueItem | undefined;
  readonly again: () => Promise<void>;
}

/**
 * A queue of any length, read a page at a time as its rows come into view: the hub's cursors are places in the list, so any
 * page can be asked for without those before it.
 */
export function useQueuePages({ reason, search }: QueueChoice, first: number, last: number): QueuePages {
  const client = useQueryClient();
  const [known, setKnown] = useState<number>();
  const from = Math.floor(Math.max(0, first) / ROWS);
  const to = Math.floor(Math.max(0, last) / ROWS);
  const pages = Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: ["queue", reason ?? "", search, page],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = {
          limit: ROWS,
          cursor: String(page * ROWS),
          ...(reason === undefined ? {} : { reason }),
          q: search,
        };
        return (await call(contribute.queue, { query, maxAgeSeconds: 1, signal })).value;
      },
    })),
  });
  const read = results.find(({ data }) => data !== undefined)?.data;
  const total = read?.matching;
  if (total !== undefined && total !== known) setKnown(total);
  return {
    total: total ?? known,
    hidden: read?.hidden ?? 0,
    problem: results.find(({ error, data }) => error !== null && data === undefined)?.error ?? undefined,
    itemAt: (index) => results[Math.floor(index / ROWS) - from]?.data?.queue[index % ROWS],
    again: () => client.invalidateQueries({ queryKey: ["queue"] }),
  };
}
