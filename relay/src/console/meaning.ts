import { describeUnavailable, describeWithheld, type HubMessage, isKnownUnavailable } from "@nest/protocol";

type Unavailable = Extract<HubMessage, { type: "task_unavailable" }>;

/**
 * A `task_unavailable` in words for a person: why there is no work, with what an admin said about it. A newer hub's reason is told
 * in the hub's own words.
 */
export function meaningOf({ reason, message }: Unavailable): string {
  const { because } = describeUnavailable(reason);
  if (message === undefined || message === "") return because;
  return isKnownUnavailable(reason) ? `${because}: ${message}` : message;
}

/** How many issues the hub keeps back, and why; undefined when it tells of none. */
export function withheldOf({ withheld }: Unavailable): string | undefined {
  const counts = Object.entries(withheld ?? {}).filter(([, count]) => count > 0);
  if (counts.length === 0) return undefined;
  return `withheld: ${counts.map(([reason, count]) => `${count} ${describeWithheld(reason).label}`).join(", ")}`;
}
