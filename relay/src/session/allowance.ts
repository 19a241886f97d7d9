import type { Clock } from "@nest/kit";

export interface AllowanceBounds {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** A rate limit for a peer: a burst at first, and then a steady rate. */
export class Allowance {
  readonly #bounds: AllowanceBounds;
  readonly #clock: Clock;
  #left: number;
  #countedAt: number;

  constructor(bounds: AllowanceBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#left = bounds.atOnce;
    this.#countedAt = clock.now();
  }

  /** Takes one; false when there is none left now. */
  take(): boolean {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#countedAt) / 1000) * this.#bounds.perSecond;
    this.#left = Math.min(this.#bounds.atOnce, this.#left + earned);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
