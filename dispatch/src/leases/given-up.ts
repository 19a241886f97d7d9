import type { Durations } from "@nest/protocol";
import type { RelayIdentity } from "./commands.ts";
import type { Lease } from "./lease.ts";

/**
 * The leases that a contributor's relay gives up by asking for work, out of all that the contributor holds:
 *
 * - a lease held by its own connection;
 * - a lease of the same session name whose connection is gone: the relay has lost that task's state;
 * - a lease without a session name whose connection has been gone for a minute, or at once if the contributor has no room
 *   for another task. It may belong to another machine of the contributor, which has that minute to reconnect.
 *
 * A lease held by a live connection, or under another session name, belongs to another relay of the contributor and is never
 * given up. `mostHeld` is how many tasks the contributor's tier may hold at once, 0 = unlimited.
 */
export function givenUpFor(
  asker: Pick<RelayIdentity, "connection" | "contributorId" | "identity">,
  leases: readonly Lease[],
  mostHeld: number,
  times: Pick<Durations, "namelessKeptMs">,
  now: number,
): Lease[] {
  const isNameless = (lease: Lease) => lease.identity === asker.contributorId;
  const givenUp = leases.filter((lease) => {
    if (lease.connection !== undefined) return lease.connection === asker.connection;
    if (isNameless(lease)) return awayMs(lease, now) >= times.namelessKeptMs;
    return lease.identity === asker.identity;
  });
  if (mostHeld === 0) return givenUp;
  const spare = leases
    .filter((lease) => lease.connection === undefined && isNameless(lease) && !givenUp.includes(lease))
    .sort((a, b) => awayMs(b, now) - awayMs(a, now));
  const tooMany = Math.max(0, leases.length - givenUp.length - mostHeld + 1);
  return [...givenUp, ...spare.slice(0, tooMany)];
}

function awayMs({ awaySince }: Lease, now: number): number {
  return awaySince === undefined ? 0 : now - awaySince;
}
