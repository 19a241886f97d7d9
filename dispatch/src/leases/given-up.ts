import type { Durations } from "@nest/protocol";
import type { RelayIdentity } from "./commands.ts";
import type { Lease } from "./lease.ts";

/**
 * What a contributor's relay gives up by asking for work, out of everything the contributor holds (contract §8, Wire 3):
 *
 * - what its own connection holds;
 * - what was held under its own session name, by a connection that is gone: it has lost its state;
 * - what was held without a session name, by a connection that is gone for a minute, or at once where nothing more could be
 *   given otherwise: nobody can tell whether it was this machine's, so another one has that minute to come back.
 *
 * What a live socket holds, and what was held under another name, is a sibling's and is never taken. `mostHeld` is how many
 * tasks the contributor's tier may hold at once, 0 = unlimited.
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
