import type { nestRuns } from "@nest/protocol";
import { type Limits, overLimit } from "../policy/spending.ts";
import { usedToday } from "./run-days.ts";

/** Which budget keeps an agent from working now, its own or the nest's, in a sentence; undefined while both have room. Pure. */
export function overBudget(
  agent: { readonly name: string; readonly limits: Limits },
  nest: Limits,
  runs: readonly nestRuns.Run[],
  now: number,
): string | undefined {
  return (
    overLimit(usedToday(runs, now, agent.name), agent.limits, "its") ??
    overLimit(usedToday(runs, now), nest, "the nest's")
  );
}
