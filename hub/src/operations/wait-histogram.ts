import type { operations } from "@nest/protocol";

/** A wait is counted for one hour. */
const KEPT_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The newest waits, which percentiles are taken from: more would be put in order for every page that asks, and say the same. */
const MOST_KEPT = 2000;
const SLOW_SHARE = 0.95;
/** A summary is as good for this long: every open page asks for it. */
const SUMMARY_MS = 1000;

interface Wait {
  readonly at: number;
  readonly ms: number;
}

/** How long relays waited from `ready` to an assignment, in the last hour. Counts this process only. */
export class WaitHistogram {
  #waits: Wait[] = [];
  /** How many there were in each minute of the last hour. */
  readonly #counts = new Map<number, number>();
  #last: { readonly at: number; readonly summary: operations.WaitSummary | undefined } | undefined;

  /** Adds the wait of a relay that was assigned a task `ms` after it asked. */
  count(ms: number, now: number): void {
    this.#waits.push({ at: now, ms: Math.max(0, ms) });
    if (this.#waits.length >= 2 * MOST_KEPT) this.#waits = this.#waits.slice(-MOST_KEPT);
    const minute = Math.floor(now / MINUTE_MS);
    this.#counts.set(minute, (this.#counts.get(minute) ?? 0) + 1);
  }

  /**
   * How many waits there were in the last hour; of the newest of them the median and the 95th percentile. At most a second old; undefined
   * when there was no assignment.
   */
  summary(now: number): operations.WaitSummary | undefined {
    if (this.#last === undefined || Math.abs(now - this.#last.at) >= SUMMARY_MS)
      this.#last = { at: now, summary: this.#summaryAt(now) };
    return this.#last.summary;
  }

  #summaryAt(now: number): operations.WaitSummary | undefined {
    const kept = this.#waits.slice(-MOST_KEPT).filter(({ at }) => now - at < KEPT_MS);
    const lengths = Float64Array.from(kept, ({ ms }) => ms).sort();
    const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))];
    const [median_ms, slow_ms] = [at(0.5), at(SLOW_SHARE)];
    let count = 0;
    for (const [minute, waits] of this.#counts) {
      if ((minute + 1) * MINUTE_MS <= now - KEPT_MS) this.#counts.delete(minute);
      else count += waits;
    }
    return median_ms === undefined || slow_ms === undefined ? undefined : { count, median_ms, slow_ms };
  }
}
