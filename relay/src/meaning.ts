import type { HubMessage } from "@nest/protocol";

type Unavailable = Extract<HubMessage, { type: "task_unavailable" }>;

const MEANINGS: Readonly<Record<string, string>> = {
  no_matching_work: "no matching work in the queue",
  contribution_suspended: "contributions are suspended by the hub's admins",
  tier_disabled: "your trust tier gets no work at the moment",
  concurrency_limit: "you already hold as many tasks as your tier allows",
  hourly_limit: "your tier's limit for this hour is used up",
  daily_limit: "your tier's limit for today is used up",
  hub_not_ready: "the hub has not read its repositories yet",
  contributor_failure_streak: "paused after several quick failures in a row",
};

/** A `task_unavailable` in words for a person: why there is no work. */
export function meaningOf({ reason, message }: Unavailable): string {
  return MEANINGS[reason] ?? message ?? reason;
}

/** How many issues the hub keeps back, by its own reasons; undefined when it tells of none. */
export function withheldOf({ withheld }: Unavailable): string | undefined {
  const counts = Object.entries(withheld ?? {}).filter(([, count]) => count > 0);
  return counts.length === 0 ? undefined : `withheld: ${counts.map(([name, count]) => `${name} ${count}`).join(", ")}`;
}
