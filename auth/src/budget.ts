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
 * What strangers may make the hub do for them, each address and all of them together, so that nobody outside can spend what the
 * code host allows the hub. Replicas share it: each gives out its part.
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

  /** Spends one of an address. @throws NestError `too_many_requests` when it has none left, or nobody has. */
  spend(address: string): void {
    const ownWaitMs = this.#perAddress.count(address);
    if (ownWaitMs > 0) throw tooMany(ownWaitMs, `too many ${this.#what} from this address`);
    const waitMs = this.#inAll.count(EVERYBODY);
    if (waitMs > 0) throw tooMany(waitMs, `too many ${this.#what} at this hub`);
  }
}
