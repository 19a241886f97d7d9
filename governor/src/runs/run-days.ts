import type { nestRuns } from "@nest/protocol";
import { NOTHING_USED, plus, startOfDay, type Used } from "../policy/spending.ts";

type Run = nestRuns.Run;
type RunDay = ReturnType<(typeof nestRuns.RunDay)["parse"]>;

const DAY_MS = 86_400_000;

/** What a run used; one that goes on counts up to now. One that could not start used nothing: an outage eats no budget. */
export function usedBy(run: Run, now: number): Used {
  if (run.outcome === "not_started") return NOTHING_USED;
  const endedAt = run.ended_at === undefined ? now : Date.parse(run.ended_at);
  return {
    runs: 1,
    minutes: Math.max(0, endedAt - Date.parse(run.started_at)) / 60_000,
    tokens: run.usage?.tokens ?? 0,
    costUsd: run.usage?.cost_usd ?? 0,
  };
}

/** What was used since midnight, UTC, by one agent or by all. A run counts on the day on which it began. Pure. */
export function usedToday(runs: readonly Run[], now: number, agent?: string): Used {
  const since = startOfDay(now);
  return runs
    .filter((run) => Date.parse(run.started_at) >= since && (agent === undefined || run.agent === agent))
    .reduce((sum, run) => plus(sum, usedBy(run, now)), NOTHING_USED);
}

/** The last `days` days, oldest first, with what was done on each. Pure. */
export function runDays(runs: readonly Run[], days: number, now: number, agent?: string): RunDay[] {
  const first = startOfDay(now) - (days - 1) * DAY_MS;
  const byDay = Array.from({ length: days }, (_, at) => ({
    from: first + at * DAY_MS,
    outcomes: new Map<string, number>(),
    used: NOTHING_USED,
  }));
  for (const run of runs) {
    const day = byDay[Math.floor((Date.parse(run.started_at) - first) / DAY_MS)];
    if (day === undefined || (agent !== undefined && run.agent !== agent)) continue;
    day.used = plus(day.used, usedBy(run, now));
    if (run.outcome !== undefined) day.outcomes.set(run.outcome, (day.outcomes.get(run.outcome) ?? 0) + 1);
  }
  return byDay.map(({ from, outcomes, used }) => ({
    day: new Date(from).toISOString().slice(0, 10),
    runs: used.runs,
    outcomes: Object.fromEntries(outcomes),
    minutes: Math.round(used.minutes * 10) / 10,
    tokens: used.tokens,
    cost_usd: Math.round(used.costUsd * 1e4) / 1e4,
  }));
}
