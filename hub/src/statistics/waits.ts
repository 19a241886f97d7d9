import { WAIT_BOUNDS_MS, waitColumns } from "@nest/dispatch";
import type { numbers } from "@nest/protocol";

/** Median and 95th percentile out of counted buckets, each interpolated within its bucket; undefined where nobody waited. Pure. */
export function waitOf(counts: ReadonlyMap<string, number>): numbers.Wait | undefined {
  const buckets = waitColumns.map((name) => counts.get(name) ?? 0);
  const count = buckets.reduce((sum, n) => sum + n, 0);
  if (count === 0) return undefined;
  return { count, median_ms: percentile(buckets, 0.5 * count), slow_ms: percentile(buckets, 0.95 * count) };
}

function percentile(buckets: readonly number[], rank: number): number {
  let below = 0;
  for (const [nth, n] of buckets.entries()) {
    const [from, to] = [WAIT_BOUNDS_MS[nth - 1] ?? 0, WAIT_BOUNDS_MS[nth]];
    // Of the last bucket only the lower bound is known.
    if (to === undefined) return from;
    if (below + n >= rank && n > 0) return Math.round(from + ((rank - below) / n) * (to - from));
    below += n;
  }
  return WAIT_BOUNDS_MS.at(-1) ?? 0;
}
