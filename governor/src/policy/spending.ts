/** What may be used in a day; absent means without limit. */
export interface Limits {
  readonly runsPerDay?: number | undefined;
  readonly minutesPerDay?: number | undefined;
  readonly tokensPerDay?: number | undefined;
  readonly costUsdPerDay?: number | undefined;
}

/** What was used. Tokens and cost are what the CLIs report; a CLI that reports nothing counts as nothing. */
export interface Used {
  readonly runs: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly costUsd: number;
}

export const NOTHING_USED: Used = { runs: 0, minutes: 0, tokens: 0, costUsd: 0 };

/** The sum of both. */
export function plus(a: Used, b: Used): Used {
  return {
    runs: a.runs + b.runs,
    minutes: a.minutes + b.minutes,
    tokens: a.tokens + b.tokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

/** Which limit is reached, in a sentence; undefined while there is room. Pure. */
export function overLimit(used: Used, limits: Limits, whose: string): string | undefined {
  const over = (
    [
      [used.runs, limits.runsPerDay, "runs"],
      [used.minutes, limits.minutesPerDay, "minutes"],
      [used.tokens, limits.tokensPerDay, "tokens"],
      [used.costUsd, limits.costUsdPerDay, "US dollars"],
    ] as const
  ).find(([value, limit]) => limit !== undefined && value >= limit);
  if (over === undefined) return undefined;
  const [value, limit, unit] = over;
  return `${whose} budget of ${limit} ${unit} a day is used up (${Math.round(value * 100) / 100} since midnight UTC)`;
}

const DAY_MS = 86_400_000;

/** Midnight before a moment, UTC: budgets begin anew there. */
export function startOfDay(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

/** The next midnight, UTC. */
export function nextDay(now: number): number {
  return startOfDay(now) + DAY_MS;
}
