import type { Addition } from "@nest/protocol";

/**
 * How the hub speaks to a relay, by what the relay declared of itself (docs/protocol.md, Relays of other releases). It changes
 * words, never rights: a relay that declares less, or something untrue, gets no task that it would not get anyway.
 */
export interface Manners {
  /** Whether the relay announced at least one of our additions; one that did not is spared all of them. */
  readonly isOurs: boolean;
  /** Relays from before versions never ask again after `task_unavailable`: the hub looks for work on their behalf. */
  readonly neverAsksAgain: boolean;
  knows(addition: Addition): boolean;
}

/** The additions that a relay can announce; the others take effect without it. */
const ANNOUNCED = ["task_ack", "task_declined", "task_push", "withheld_counts", "limits_left"] as const;

/** The manners for a relay that announced these names, and this protocol version. */
export function mannersOf(announced: ReadonlySet<string>, version: string | undefined): Manners {
  const isOurs = ANNOUNCED.some((addition) => announced.has(addition));
  return {
    isOurs,
    neverAsksAgain: !isOurs && version === undefined,
    knows: (addition) => announced.has(addition),
  };
}
