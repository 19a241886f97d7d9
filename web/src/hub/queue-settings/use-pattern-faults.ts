import { useDebouncedValue } from "@mantine/hooks";
import { governor } from "@nest/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { changeOf, type Draft, isSame } from "../../shared/drafts/draft.ts";
import type { Faults, Key, Settings } from "./faults.ts";

const TYPING_MS = 300;

/** Asks the hub what a change would do to the queue now, and which patterns it would refuse. */
export function useImpact(change: governor.GovernorChange) {
  return useQuery({
    queryKey: ["preview", "impact", change],
    queryFn: async ({ signal }) => (await call(governor.previewImpact, { body: change, signal })).value,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    staleTime: 0,
    enabled: Object.keys(change).length > 0,
  });
}

/** The draft's patterns that the hub would refuse, by key. */
export function usePatternFaults(draft: Draft<Settings> | undefined): Faults {
  const change = draft === undefined ? {} : patternsOf(changeOf(draft));
  const [settled] = useDebouncedValue(change, TYPING_MS);
  const { data } = useImpact(settled);
  // Until the hub has answered for the current text, there is nothing to say about it.
  if (data === undefined || Object.keys(change).length === 0 || !isSame(change, settled)) return {};
  const faults: Partial<Record<Key, string>> = {};
  for (const { key, index, because } of data.faults) faults[key as Key] ??= `line ${index + 1}: ${because}`;
  return faults;
}

function patternsOf(change: governor.GovernorChange): governor.GovernorChange {
  const keys = governor.patternKeys.filter((key) => change[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, change[key]]));
}
