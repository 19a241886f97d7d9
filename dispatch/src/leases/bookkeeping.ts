import { NO_ACTIVE_LEASE } from "@nest/protocol";
import type { Ending, Outcome } from "./changes.ts";
import type { Effect, Speaker, TaskReference } from "./commands.ts";
import { afterFailure } from "./contributor.ts";
import type { DeskParts } from "./decider-deps.ts";
import { hasExpired, isInOtherHands, type Lease, speaksOf } from "./lease.ts";

/**
 * The live, unexpired lease that a terminal report speaks of. It need not have been adopted by this socket first, but no other
 * live one may have it in hand.
 */
export function reported(parts: DeskParts, command: Speaker & TaskReference, now: number): Lease | undefined {
  const lease = parts.ledger.lease(command.taskId);
  return speaksOf(lease, command) && !hasExpired(lease, now) && !isInOtherHands(lease, command) ? lease : undefined;
}

/** Ends a lease: from here on nothing revives it. */
export function endLease(
  parts: DeskParts,
  lease: Lease,
  ending: { outcome: Outcome } & Partial<Ending>,
  now: number,
): void {
  parts.ledger.end({ prState: "none", ...ending, lease, endedAt: now });
}

/** Counts a failure with the contributor who held the task. */
export function countFailure(parts: DeskParts, lease: Lease, now: number): void {
  const contributor = parts.ledger.contributor(lease.contributorId);
  if (contributor === undefined) return;
  parts.ledger.putContributor(afterFailure(contributor, lease.acceptedAt ?? lease.assignedAt, parts.times, now));
}

/** Refuses a claim: the relay clears its task, the record stays whose it is. */
export function refusal(command: Speaker & TaskReference): Effect {
  return { kind: "revoke", connection: command.connection, taskId: command.taskId, reason: NO_ACTIVE_LEASE };
}

/** Every terminal report gets one, so that the relay can forget it. */
export function acknowledgement(command: Speaker & TaskReference): Effect {
  return { kind: "ack", connection: command.connection, taskId: command.taskId, gen: command.gen ?? 0 };
}

/** A line for the activity feed. */
export function note(
  parts: DeskParts,
  contributorId: string,
  action: string,
  lease: Lease | undefined,
  now: number,
  detail?: string,
  url?: string,
): void {
  const { ledger } = parts;
  ledger.note({
    at: now,
    login: ledger.contributor(contributorId)?.login ?? contributorId,
    action,
    task: lease,
    url,
    detail,
  });
}
