import { networkOf } from "@nest/http";
import { type Clock, NestError } from "@nest/kit";

export interface ThrottleLimits {
  readonly most: number;
  readonly withinMs: number;
}

/** Keys remembered at most; beyond that the oldest windows are forgotten, so that a flood of addresses fills nothing. */
const MOST_KEYS = 20_000;

/** Counts what one address does within a window of time. */
export class Throttle {
  readonly #clock: Clock;
  readonly #limits: ThrottleLimits;
  readonly #replicas: () => number;
  readonly #windows = new Map<string, { from: number; count: number }>();

  /** `replicas`: how many replicas there are at this moment; each allows its part of the limit. */
  constructor(clock: Clock, limits: ThrottleLimits, replicas: () => number = () => 1) {
    this.#clock = clock;
    this.#limits = limits;
    this.#replicas = replicas;
  }

  /** Counts one event of an address. Returns how long the address has to wait (ms); 0 while it is within the limit. */
  count(address: string): number {
    const key = networkOf(address);
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    if (window === undefined || now >= window.from + this.#limits.withinMs) {
      this.#windows.delete(key);
      if (this.#windows.size >= MOST_KEYS) this.#forgetOldest();
      this.#windows.set(key, { from: now, count: 1 });
      return 0;
    }
    window.count += 1;
    return this.waitMs(address);
  }

  /** How long an address has to wait now (ms); 0 when it need not. */
  waitMs(address: string): number {
    const window = this.#windows.get(networkOf(address));
    if (window === undefined || window.count <= Math.ceil(this.#limits.most / this.#replicas())) return 0;
    return Math.max(0, window.from + this.#limits.withinMs - this.#clock.now());
  }

  #forgetOldest(): void {
    for (const key of this.#windows.keys()) {
      this.#windows.delete(key);
      if (this.#windows.size < MOST_KEYS) return;
    }
  }
}

/** The error for too many requests of one address; `Retry-After` says when to try again. */
export function tooMany(waitMs: number, sentence = "too many requests from this address"): NestError {
  return new NestError("too_many_requests", sentence, { hint: `try again in ${Math.ceil(waitMs / 1000)} s` });
}
