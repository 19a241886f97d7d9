import { Budget } from "@nest/auth";
import type { Clock } from "@nest/kit";

/** Everything that strangers can make the hub ask the code host, or write. */
export interface Budgets {
  readonly signIns: Budget;
  readonly signInPolls: Budget;
  readonly registrations: Budget;
  readonly styleFetches: Budget;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const perMinute = (most: number) => ({ most, withinMs: MINUTE_MS });

/** The budgets of one hub, which its replicas share; `replicas` says how many there are at this moment. */
export function budgetsOf(clock: Clock, replicas: () => number): Budgets {
  const budget = (what: string, perAddress: number, inAll: number) =>
    new Budget(clock, { what, perAddress: perMinute(perAddress), inAll: perMinute(inAll) }, replicas);
  return {
    signIns: budget("sign-ins", 30, 300),
    // A device flow asks every five seconds: room for five at a time behind one address.
    signInPolls: budget("questions about sign-ins", 60, 1200),
    registrations: budget("registrations", 30, 600),
    // Each costs the hub two calls of the 5,000 an hour that the code host allows it.
    styleFetches: new Budget(
      clock,
      { what: "stylesheets asked for", perAddress: perMinute(10), inAll: { most: 300, withinMs: HOUR_MS } },
      replicas,
    ),
  };
}
