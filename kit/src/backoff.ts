import type { Random } from "./random.ts";

export interface BackoffBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait before try number `attempt` (0 for the first retry): a uniformly random part of an exponentially
 * growing bound. Full jitter, because a crowd that was cut off together must not come back together.
 */
export function backoffMs(attempt: number, bounds: BackoffBounds, random: Random): number {
  const bound = Math.min(bounds.longestMs, bounds.firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(random.fraction() * bound);
}
