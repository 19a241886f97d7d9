import { type ActivityEvent, NO_ACTIVE_LEASE, type Outcome } from "@nest/protocol";
import type { Ending } from "./changes.ts";
import type { Effect, RelayIdentity, TaskReference } from "./commands.ts";
import { afterFailure } from "./contributor.ts";
import type { DeciderDeps } from "./decider-deps.ts";
import { hasExpired, isInOtherHands, type Lease, speaksOf } from "./lease.ts";

/**
 * The live, unexpired lease that a terminal report names. The reporting connection need not have resumed the lease first, but
 * no other live connection may hold it.
 */
export function reported(deps: DeciderDeps, command: RelayIdentity & TaskReference, now: number): Lease | undefined {
  const lease = deps.ledger.lease(command.taskId);
  return speaksOf(lease, command) && !hasExpired(lease, now) && !isInOtherHands(lease, command) ? lease : undefined;
}

/** Ends a lease. An ended lease never becomes live again. */
export function endLease(
  deps: DeciderDeps,
  lease: Lease,
  ending: { outcome: Outcome } & Partial<Ending>,
  now: number,
): void {
  deps.ledger.end({ prState: "none", ...ending, lease, endedAt: now });
}

/** Counts a failure for the contributor who held the task. */
export function countFailure(deps: DeciderDeps, lease: Lease, now: number): void {
  const contributor = deps.ledger.contributor(lease.contributorId);
  if (contributor === undefined) return;
  deps.ledger.putContributor(afterFailure(contributor, lease.acceptedAt ?? lease.assignedAt, deps.times, now));
}

/** Refuses a relay's claim on a task: the relay drops the task, and the lease stays as it is. */
export function refusal(command: RelayIdentity & TaskReference): Effect {
  return { kind: "revoke", connection: command.connection, taskId: command.taskId, reason: NO_ACTIVE_LEASE };
}

/** Acknowledges a terminal report. Every report gets an acknowledgement, so that the relay can delete it. */
export function acknowledgement(command: RelayIdentity & TaskReference): Effect {
  return { kind: "ack", connection: command.connection, taskId: command.taskId, gen: command.gen ?? 0 };
}

/** Adds a line to the activity feed. */
export function note(deps: DeciderDeps, contributorId: string, event: ActivityEvent<Lease>, now: number): void {
  const { ledger } = deps;
  ledger.note(event, ledger.contributor(contributorId)?.login ?? contributorId, now);
}
