import type { operations } from "@nest/protocol";

/** A wait is counted for one hour. */
const KEPT_MS = 3_600_000;
/** Maximum number of waits kept, which is enough for percentiles; the oldest are dropped first. */
const MOST_KEPT = 10_000;
const SLOW_SHARE = 0.95;

interface Wait {
  readonly at: number;
  readonly ms: number;
}

/** How long relays waited from `ready` to an assignment, in the last hour. Counts this process only. */
export class WaitHistogram {
  #waits: Wait[] = [];

  /** Adds the wait of a relay that was assigned a task `ms` after it asked. */
  count(ms: number, now: number): void {
    this.#waits.push({ at: now, ms: Math.max(0, ms) });
    if (this.#waits.length >= 2 * MOST_KEPT) this.#waits = this.#waits.slice(-MOST_KEPT);
  }

  /** The median and the 95th percentile of the last hour; undefined when there was no assignment. */
  summary(now: number): operations.WaitSummary | undefined {
    const lengths = this.#waits
      .slice(-MOST_KEPT)
      .filter(({ at }) => now - at < KEPT_MS)
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))];
    const [median_ms, slow_ms] = [at(0.5), at(SLOW_SHARE)];
    return median_ms === undefined || slow_ms === undefined ? undefined : { count: lengths.length, median_ms, slow_ms };
  }
}
