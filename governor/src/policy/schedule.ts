import type { Cadence } from "./modes.ts";

/** When an agent is set to work next: a moment, or null where its mode pauses it. Pure. */
export function nextTurn(
  cadence: Cadence,
  facts: {
    /** When its last run began; undefined for an agent that never ran. */
    readonly lastStartedAt: number | undefined;
    /** When it was last allowed to work at all: the start of the program, the end of a pause. */
    readonly freeSince: number;
  },
): number | null {
  if (cadence === "pause") return null;
  if (facts.lastStartedAt === undefined) return facts.freeSince;
  return Math.max(facts.lastStartedAt + cadence, facts.freeSince);
}
