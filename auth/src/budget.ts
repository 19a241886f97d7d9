import type { Clock } from "@nest/kit";
import { Throttle, type ThrottleLimits, tooMany } from "./throttle.ts";

export interface BudgetLimits {
  /** What it is spent on, as a person reads it: `sign-ins`. */
  readonly what: string;
  readonly perAddress: ThrottleLimits;
  readonly inAll: ThrottleLimits;
}

const EVERYBODY = "";

/**
 * Limits what strangers can make a server do, per address and in all, so that nobody outside uses up the server's own quota at the
 * code host. Replicas share the limit: each allows its part of it.
 */
export class Budget {
  readonly #what: string;
  readonly #perAddress: Throttle;
  readonly #inAll: Throttle;

  /** `replicas`: how many replicas there are at this moment. */
  constructor(clock: Clock, { what, perAddress, inAll }: BudgetLimits, replicas: () => number = () => 1) {
    this.#what = what;
    this.#perAddress = new Throttle(clock, perAddress, replicas);
    this.#inAll = new Throttle(clock, inAll, replicas);
  }

  /** Counts one use by an address. @throws NestError `too_many_requests` when the address, or everybody together, has none left. */
  spend(address: string): void {
    const ownWaitMs = this.#perAddress.count(address);
    if (ownWaitMs > 0) throw tooMany(ownWaitMs, `too many ${this.#what} from this address`);
    const waitMs = this.#inAll.count(EVERYBODY);
    if (waitMs > 0) throw tooMany(waitMs, `too many ${this.#what} here`);
  }
}
