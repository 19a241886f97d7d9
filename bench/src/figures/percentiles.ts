import type { Latencies } from "../load/commands.ts";

/** Latencies, all of them kept: percentiles are exact. */
export class Samples {
  #values: number[] = [];

  add(milliseconds: number): void {
    this.#values.push(milliseconds);
  }

  clear(): void {
    this.#values = [];
  }

  all(): readonly number[] {
    return this.#values;
  }

  sum(): Latencies {
    const sorted = Float64Array.from(this.#values).sort();
    return { count: sorted.length, p50: rank(sorted, 0.5), p99: rank(sorted, 0.99), p999: rank(sorted, 0.999) };
  }
}

/** The nearest-rank percentile of sorted values; NaN of none. */
export function rank(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
