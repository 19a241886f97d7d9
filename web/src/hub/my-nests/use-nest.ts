import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { CallError, call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { connection, followStream, streamEvent } from "../../shared/stream/event-stream.ts";
import { followHub } from "../live/live.ts";

/** A nest as its page knows it. */
export interface FollowedNest {
  readonly nest: nests.NestDetail | undefined;
  /** Why it could not be read; not said while an older state of it is known. */
  readonly problem: unknown;
  /** There is no such nest for this person: it never was, was deleted, or they have no role on it any more. */
  readonly isGone: boolean;
  readonly again: () => void;
}

/** Reads a nest and follows its stream, in place of the hub's, for as long as the page shows it. */
export function useNest(id: string): FollowedNest {
  const { data, error, refetch } = useQuery({
    queryKey: ["nest", id],
    queryFn: async ({ signal }) => (await call(nests.read, { params: { id }, signal })).value,
    // What an earlier visit read may be old.
    gcTime: 0,
    staleTime: 0,
  });
  const [goneId, setGoneId] = useState<string>();
  const isGone = goneId === id || isNotFound(error);
  const isFollowed = data !== undefined && !isGone;
  useEffect(() => {
    if (!isFollowed) return;
    followStream(`/api/saas/nests/${encodeURIComponent(id)}/events`, [
      streamEvent("nest", nests.nestEvents.nest, (nest) => takeNest(nest)),
      streamEvent("gone", nests.nestEvents.gone, () => setGoneId(id)),
    ]);
    // A stream that ends may have ended because the nest did.
    const stop = connection.subscribe(() => {
      if (connection.get().state === "offline") void queries.invalidateQueries({ queryKey: ["nest", id] });
    });
    return () => {
      stop();
      followHub();
    };
  }, [id, isFollowed]);
  return {
    nest: isGone ? undefined : data,
    problem: data === undefined ? error : null,
    isGone,
    again: () => void refetch(),
  };
}

/** Shows a newer state of a nest, and reads what else changed with it. */
function takeNest(nest: nests.NestDetail): void {
  const key = ["nest", nest.id];
  const before = queries.getQueryData<nests.NestDetail>(key);
  queries.setQueryData(key, nest);
  if (before?.requests !== nest.requests || before.owner !== nest.owner)
    void queries.invalidateQueries({ queryKey: ["nest-people", nest.id] });
}

function isNotFound(error: unknown): boolean {
  return error instanceof CallError && error.code === "nest_not_found";
}
