import { type Durations, QUARANTINE_AT, type queue } from "@nest/protocol";

/** Why an issue that was already handed out once is not offered again yet. */
export type HoldReason = Exclude<queue.Liftable, "operator_hold">;

/**
 * What the hub remembers of an issue beside the issue itself. Only repo, number and the permanent flag of failures go into
 * it: a declared `failure_kind` never does (spec: Failure attribution).
 */
export interface ItemRecord {
  readonly key: string;
  readonly holdReason: HoldReason | undefined;
  readonly holdUntil: number;
  /** Consecutive counted failures, remembered for as long as a quarantine lasts. */
  readonly failures: number;
  readonly lastFailureAt: number;
  /** Consecutive completions without a verified pull request. */
  readonly unverifiedStreak: number;
  readonly lastUnverifiedAt: number;
  /** A `no_work_needed` verdict ends early when the issue was changed after this time. */
  readonly heldAsOf: number | undefined;
}

/** The record of an issue about which nothing is remembered. */
export function freshItem(key: string): ItemRecord {
  return {
    key,
    holdReason: undefined,
    holdUntil: 0,
    failures: 0,
    lastFailureAt: 0,
    unverifiedStreak: 0,
    lastUnverifiedAt: 0,
    heldAsOf: undefined,
  };
}

export interface Hold {
  readonly reason: HoldReason;
  readonly until: number;
}

/** The hold on an issue now, if there is one. `itemUpdatedAt` is when the code host says the issue changed last (ms). */
export function holdOf(item: ItemRecord | undefined, itemUpdatedAt: number, now: number): Hold | undefined {
  if (item?.holdReason === undefined || now >= item.holdUntil) return undefined;
  if (item.heldAsOf !== undefined && itemUpdatedAt > item.heldAsOf) return undefined;
  return { reason: item.holdReason, until: item.holdUntil };
}

/** Counted failures that are still remembered. */
export function failuresNow(item: ItemRecord | undefined, times: Durations, now: number): number {
  if (item === undefined || now - item.lastFailureAt >= times.quarantineMs) return 0;
  return item.failures;
}

/** A drop, a hand-back or an operator's requeue: ten minutes, counted by nobody. A longer hold that is in force stays. */
export function bookUncounted(
  item: ItemRecord,
  reason: "connection_lost" | "given_back" | "requeued" | "failed",
  times: Durations,
  now: number,
): ItemRecord {
  return hold(item, reason, Math.max(item.holdUntil, now + times.dropHoldMs));
}

/** A resumed task: the drop's hold is taken back. */
export function clearDrop(item: ItemRecord): ItemRecord {
  return item.holdReason === "connection_lost" ? { ...item, holdReason: undefined, holdUntil: 0 } : item;
}

/** A counted failure: ten minutes; the third in a row, or one that is permanent, is a quarantine. */
export function bookFailure(item: ItemRecord, permanent: boolean, times: Durations, now: number): ItemRecord {
  const failures = failuresNow(item, times, now) + (permanent ? QUARANTINE_AT : 1);
  const counted = { ...item, failures, lastFailureAt: now };
  return failures >= QUARANTINE_AT
    ? hold(counted, "quarantined", now + times.quarantineMs)
    : hold(counted, "failed", now + times.failureHoldMs);
}

/** A completion that names a pull request nobody has looked at yet: held as if it were real until it was looked at. */
export function bookVerifying(item: ItemRecord, times: Durations, now: number): ItemRecord {
  return hold({ ...item, failures: 0 }, "verifying", now + times.verifiedHoldMs);
}

/** A completion whose pull request the code host confirmed. */
export function bookVerified(item: ItemRecord, times: Durations, completedAt: number): ItemRecord {
  return hold({ ...item, failures: 0, unverifiedStreak: 0 }, "completed", completedAt + times.verifiedHoldMs);
}

/** A completion without a confirmed pull request: 4 h, doubling with each in a row up to the verified hold. */
export function bookUnverified(item: ItemRecord, times: Durations, now: number): ItemRecord {
  const remembered = now - item.lastUnverifiedAt < times.unverifiedForgetMs ? item.unverifiedStreak : 0;
  const holdMs = Math.min(times.verifiedHoldMs, times.unverifiedHoldMs * 2 ** Math.min(remembered, 20));
  const counted = { ...item, failures: 0, unverifiedStreak: remembered + 1, lastUnverifiedAt: now };
  return hold(counted, "completed_without_pull_request", now + holdMs);
}

/** A completion that says there is nothing to do (until the issue changes), or that people must act first. */
export function bookVerdict(
  item: ItemRecord,
  verdict: "no_work_needed" | "blocked",
  itemUpdatedAt: number,
  times: Durations,
  now: number,
): ItemRecord {
  const held = hold({ ...item, failures: 0 }, verdict, now + times.verifiedHoldMs);
  return verdict === "no_work_needed" ? { ...held, heldAsOf: itemUpdatedAt } : held;
}

/** People want it tried again: nothing is waited for, and what failed before is forgotten. */
export function lifted(item: ItemRecord): ItemRecord {
  return { ...item, holdReason: undefined, holdUntil: 0, failures: 0, heldAsOf: undefined };
}

function hold(item: ItemRecord, holdReason: HoldReason, holdUntil: number): ItemRecord {
  return { ...item, holdReason, holdUntil, heldAsOf: undefined };
}
