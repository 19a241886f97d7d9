import { NO_ACTIVE_LEASE, RELAY_STOPPED, unfinishedVerdict } from "@nest/protocol";
import { BLOCKED_PREFIX, type BlockedIssue } from "./blocked.ts";
import { acknowledgement, countFailure, endLease, note, refusal, reported } from "./bookkeeping.ts";
import type { Effect, RelayIdentity } from "./commands.ts";
import { replicaOf } from "./connection.ts";
import { afterCompletion } from "./contributor.ts";
import { bookFailure, bookUncounted, bookUnverified, bookVerdict, bookVerifying, clearDrop } from "./cooldown.ts";
import type { DeciderDeps, Of } from "./decider-deps.ts";
import { away, hasExpired, isInOtherHands, type Lease, renew, resume, speaksOf } from "./lease.ts";

// Reports of relays about their task: acceptance, progress and resume, every kind of ending, and a lost connection.

/**
 * `task_accepted`: accepts a task that was just assigned. It may also begin a resume, which is decided by the progress
 * report.
 */
export function accepted(deps: DeciderDeps, command: Of<"accepted">, now: number): Effect[] {
  const { ledger } = deps;
  const lease = ledger.lease(command.taskId);
  if (!speaksOf(lease, command) || hasExpired(lease, now)) return [];
  if (lease.connection !== command.connection || lease.acceptedAt !== undefined) return [];
  const accepted = { ...lease, acceptedAt: now };
  ledger.putLease(accepted);
  return [{ kind: "credential_due", connection: command.connection, lease: accepted, resumed: false }];
}

/**
 * `task_progress`: renews the lease of a task that this connection holds, or resumes one by an exact claim. A lease can be
 * taken over from a connection that is gone or does not answer, never from a live one.
 */
export function progress(deps: DeciderDeps, command: Of<"progress">, now: number): Effect[] {
  const { ledger, times } = deps;
  const lease = ledger.lease(command.taskId);
  if (lease !== undefined && lease.connection === command.connection) {
    if (speaksOf(lease, command) && !hasExpired(lease, now)) ledger.putLease(renew(lease, times.leaseTtlMs, now));
    // A relay too old to know generations echoes 0. It cannot finish this task: it is told to drop it, and asks anew.
    return command.gen === 0 ? [refusal(command)] : [];
  }
  const claim = resume(lease, command, command.connection, now);
  const holdsAnother = ledger.leasesOfContributor(command.contributorId).some((held) => isHeldBy(held, command));
  if (claim.kind === "refused" || holdsAnother || (lease !== undefined && isInOtherHands(lease, command)))
    return [refusal(command)];
  return adopt(deps, claim.lease, lease?.connection, now);
}

function isHeldBy(lease: Lease, { connection }: RelayIdentity): boolean {
  return lease.connection === connection;
}

function adopt(deps: DeciderDeps, lease: Lease, ghost: string | undefined, now: number): Effect[] {
  const { ledger, times, policy } = deps;
  const contributor = ledger.contributor(lease.contributorId);
  const { suspended, disabledTiers } = policy();
  if (contributor === undefined || suspended || contributor.tier === "revoked" || disabledTiers.has(contributor.tier)) {
    endLease(deps, lease, { outcome: "given_back", reason: "resume refused while suspended" }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
    note(deps, lease.contributorId, { action: "released: connection lost", task: lease }, now);
    return [{ kind: "revoke", connection: lease.connection ?? "", taskId: lease.taskId, reason: NO_ACTIVE_LEASE }];
  }
  ledger.putLease(renew(lease, times.leaseTtlMs, now));
  ledger.changeItem(lease.key, clearDrop);
  note(deps, lease.contributorId, { action: "resumed", task: lease }, now);
  const effects: Effect[] = [{ kind: "credential_due", connection: lease.connection ?? "", lease, resumed: true }];
  if (ghost !== undefined)
    effects.push({
      kind: "revoke",
      connection: ghost,
      taskId: lease.taskId,
      reason: "resumed on a newer connection",
    });
  return effects;
}

/** `task_complete`: the lease ends, the issue is held, and a named pull request will be verified. */
export function completed(deps: DeciderDeps, command: Of<"completed">, now: number): Effect[] {
  const { ledger, times, pullRequestAt } = deps;
  const lease = reported(deps, command, now);
  if (lease === undefined) return [acknowledgement(command)];
  const named = command.prUrl !== undefined;
  // From here on the address has its canonical spelling. An address that is no pull request of our code host is never shown
  // as a link.
  const pull = command.prUrl === undefined ? undefined : pullRequestAt(command.prUrl, lease.repo);
  const pending = pull?.isOfRepo === true;
  const verdict = unfinishedVerdict(command.verdict);
  endLease(
    deps,
    lease,
    {
      outcome: "completed",
      verdict: command.verdict,
      reason: command.verdictReason,
      prUrl: pull?.url,
      prState: pending ? "pending" : named ? "refused" : "none",
    },
    now,
  );
  ledger.changeItem(lease.key, (item) => {
    if (pending) return bookVerifying(item, times, now);
    return verdict === undefined
      ? bookUnverified(item, times, now)
      : bookVerdict(item, verdict, lease.itemUpdatedAt, times, now);
  });
  if (!pending && verdict === "blocked") {
    const blocked: BlockedIssue = {
      at: now,
      digest: deps.candidates.digestOf(lease.key),
      contributorId: lease.contributorId,
    };
    ledger.putSetting(BLOCKED_PREFIX + lease.key, blocked);
  }
  const contributor = ledger.contributor(lease.contributorId);
  if (contributor !== undefined) ledger.putContributor({ ...afterCompletion(contributor), lastActiveAt: now });
  const detail =
    command.verdictReason ?? (named && !pending ? "the pull request named is not of this repository" : undefined);
  const action = verdict === undefined ? "completed" : (`completed: ${verdict}` as const);
  note(deps, lease.contributorId, { action, task: lease, detail, url: pull?.url }, now);
  const { taskId, contributorId, key, repo } = lease;
  const effects: Effect[] = [acknowledgement(command), { kind: "released", connection: command.connection, taskId }];
  if (pending && pull !== undefined) {
    const { gen, number, assignedAt } = lease;
    const task = { taskId, gen, contributorId, key, repo, number, assignedAt };
    effects.push({ kind: "verify", ...task, prUrl: pull.url, completedAt: now });
  }
  return effects;
}

/** `task_failed`: counts as a failure, unless the work had not begun or the relay was only stopped. */
export function failed(deps: DeciderDeps, command: Of<"failed">, now: number): Effect[] {
  const { ledger, times } = deps;
  const lease = reported(deps, command, now);
  if (lease === undefined) return [acknowledgement(command)];
  const { reason, failureKind, permanent } = command;
  const stopped = reason === RELAY_STOPPED;
  const counted = lease.acceptedAt !== undefined && !stopped;
  endLease(deps, lease, { outcome: stopped ? "stopped" : "failed", reason, failureKind, permanent }, now);
  if (counted) {
    ledger.changeItem(lease.key, (item) => bookFailure(item, permanent, times, now));
    countFailure(deps, lease, now);
    note(deps, lease.contributorId, { action: "failed", task: lease, detail: reason }, now);
  } else {
    ledger.changeItem(lease.key, (item) => bookUncounted(item, stopped ? "connection_lost" : "failed", times, now));
    const action = stopped ? "released: relay stopped" : "released: gave the task back";
    note(deps, lease.contributorId, { action, task: lease, detail: reason }, now);
  }
  return [
    acknowledgement(command),
    { kind: "released", connection: command.connection, taskId: lease.taskId },
    { kind: "failure", connection: command.connection, lease, reason, failureKind, permanent },
  ];
}

/** `task_declined`: given back before the work began; counts as no failure. */
export function declined(deps: DeciderDeps, command: Of<"declined">, now: number): Effect[] {
  const { ledger, times } = deps;
  const lease = reported(deps, command, now);
  if (lease === undefined) return [acknowledgement(command)];
  endLease(deps, lease, { outcome: "declined", reason: command.reason }, now);
  ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
  note(deps, lease.contributorId, { action: "released: gave the task back", task: lease, detail: command.reason }, now);
  return [acknowledgement(command), { kind: "released", connection: command.connection, taskId: lease.taskId }];
}

/** A connection was lost: its leases become *away* and stay reserved until they expire. */
export function dropped(deps: DeciderDeps, command: Of<"dropped">, now: number): Effect[] {
  const { ledger, times } = deps;
  for (const lease of ledger.leasesOfContributor(command.contributorId)) {
    if (!isHeldBy(lease, command)) continue;
    ledger.putLease(away(lease, now));
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "connection_lost", times, now));
  }
  return [];
}

/**
 * A replica is dead, and with it all its connections: its leases become *away*, as after a lost connection. A replica that
 * had only stalled learns this from the next {@link ReplicaUpdate}, before it decides anything else.
 */
export function gone(deps: DeciderDeps, command: Of<"replica_lost">, now: number): Effect[] {
  const { ledger, times } = deps;
  for (const lease of [...ledger.liveLeases()]) {
    if (lease.connection === undefined || replicaOf(lease.connection) !== command.replica) continue;
    ledger.putLease(away(lease, now));
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "connection_lost", times, now));
  }
  return [];
}
