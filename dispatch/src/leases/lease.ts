import type { Tier } from "@nest/protocol";

/**
 * The task lease: which contributor holds which issue until when (spec: States and transitions, Task lease).
 *
 * A lease is in one of four states. Only the decider (`lease-decider.ts`) changes it, and each change is one durable
 * transaction.
 *
 * - **offered**: the hub sent `task_assign`, and the contributor has not accepted yet, so nothing that goes wrong counts as
 *   a failure. Becomes *working* on `task_accepted`, or ends.
 * - **working**: accepted, with a live connection. Each accepted `task_progress` moves the expiry to now + `leaseTTL`; no
 *   other message does. Becomes *away* when the connection is lost, or ends.
 * - **away**: the connection was lost (or the hub was restarted). The lease stays until its expiry, and nobody else gets the
 *   issue. Becomes *working* only by an exact claim: contributor, task id, repo, number and generation, before the expiry.
 * - **ended**: final. Completed, failed, given back, declined, expired, requeued or revoked. No message revives it: a later
 *   assignment of the same issue is another lease with a higher generation.
 *
 * "offered" and "working" differ by `acceptedAt`, "away" by a missing `connection`; an ended lease is no longer a `Lease`.
 */
export interface Lease {
  readonly taskId: string;
  /** `task_gen`: strictly increasing per hub, across restarts and replicas. */
  readonly gen: number;
  readonly contributorId: string;
  /**
   * The contributor's machine that it was assigned to: the contributor's id, followed by `#` and the session name if there is
   * one.
   */
  readonly identity: string;
  readonly repo: string;
  readonly number: number;
  /** The canonical key, {@link itemKey}. */
  readonly key: string;
  readonly title: string;
  readonly url: string;
  /** When the issue was last changed on the code host, as of the assignment (ms). */
  readonly itemUpdatedAt: number;
  /** The live connection that holds the task; undefined while away. */
  readonly connection: string | undefined;
  /** When the connection was lost, as far as this process knows (ms); undefined while a connection holds the task. */
  readonly awaySince?: number | undefined;
  readonly assignedAt: number;
  readonly acceptedAt: number | undefined;
  readonly expiresAt: number;
  /** The agent CLI that the relay declared; shown and counted, never trusted. */
  readonly backend?: string | undefined;
  /** The model and the protocol version that the relay declared; shown, never trusted. */
  readonly model?: string | undefined;
  readonly relayVersion?: string | undefined;
  /** The contributor's tier when the task was given. */
  readonly tier?: Tier | undefined;
  /** How long the relay had waited for work when it was given this task (ms). */
  readonly waitedMs?: number | undefined;
}

/** What a reconnecting relay claims to hold; `repo` and `number` only if it sent them. */
export interface LeaseClaim {
  readonly contributorId: string;
  readonly taskId: string;
  readonly gen: number | undefined;
  readonly repo: string | undefined;
  readonly number: number | undefined;
}

export type LeaseState = "offered" | "working" | "away";

/** The canonical key of an issue: repository names that differ only in case give the same key. */
export function itemKey(repo: string, number: number): string {
  return `${repo.toLowerCase()}#${number}`;
}

export function leaseState(lease: Lease): LeaseState {
  if (lease.connection === undefined) return "away";
  return lease.acceptedAt === undefined ? "offered" : "working";
}

/** True from the moment of expiry on. */
export function hasExpired(lease: Lease, now: number): boolean {
  return now >= lease.expiresAt;
}

/** The lease after its connection was lost. */
export function away(lease: Lease, now: number): Lease {
  return { ...lease, connection: undefined, awaySince: now };
}

/** Whether another live connection holds the task. A connection that did not answer a ping (`silent`) does not. */
export function isInOtherHands(
  lease: Lease,
  relayIdentity: { connection: string; silent?: string | undefined },
): boolean {
  const { connection } = lease;
  return connection !== undefined && connection !== relayIdentity.connection && connection !== relayIdentity.silent;
}

export type Resume =
  | { readonly kind: "resumed"; readonly lease: Lease }
  | { readonly kind: "refused"; readonly because: "mismatch" | "expired" };

/**
 * Decides whether a reconnecting relay may continue its task. The claim is only compared; the answer comes from the hub's own
 * record. Resuming does not extend the lease; only the accepted progress report that comes with it does.
 */
export function resume(lease: Lease | undefined, claim: LeaseClaim, connection: string, now: number): Resume {
  if (lease === undefined || !sameWork(lease, claim)) return { kind: "refused", because: "mismatch" };
  if (hasExpired(lease, now)) return { kind: "refused", because: "expired" };
  return {
    kind: "resumed",
    lease: { ...lease, connection, awaySince: undefined, acceptedAt: lease.acceptedAt ?? now },
  };
}

/**
 * Whether a claim equals a lease in contributor, task id, repo, number and generation. A generation that is 0 or missing
 * never does.
 */
function sameWork(lease: Lease, claim: LeaseClaim): boolean {
  return (
    claim.contributorId === lease.contributorId &&
    claim.taskId === lease.taskId &&
    claim.gen === lease.gen &&
    claim.repo !== undefined &&
    claim.number !== undefined &&
    itemKey(claim.repo, claim.number) === lease.key
  );
}

/** Whether a message about a task means this lease. A missing generation matches; a wrong one, 0 included, does not. */
export function speaksOf(
  lease: Lease | undefined,
  message: { contributorId: string; taskId: string; gen: number | undefined },
): lease is Lease {
  return (
    lease !== undefined &&
    lease.contributorId === message.contributorId &&
    lease.taskId === message.taskId &&
    (message.gen === undefined || message.gen === lease.gen)
  );
}

/** The lease after an accepted progress report. */
export function renew(lease: Lease, leaseTtlMs: number, now: number): Lease {
  return { ...lease, acceptedAt: lease.acceptedAt ?? now, expiresAt: now + leaseTtlMs };
}
