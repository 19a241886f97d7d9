import { type Durations, QUARANTINE_AT, type queue } from "@nest/protocol";

/** Why an issue that was assigned before is not offered again yet. */
export type HoldReason = Exclude<queue.Liftable, "operator_hold">;

/**
 * What the hub remembers about an issue beyond the issue itself. Failures are recorded by repository, number and the
 * permanent flag; a declared `failure_kind` is never used (spec: Failure attribution).
 */
export interface ItemRecord {
  readonly key: string;
  readonly holdReason: HoldReason | undefined;
  readonly holdUntil: number;
  /** Consecutive counted failures; they are forgotten after the duration of a quarantine. */
  readonly failures: number;
  readonly lastFailureAt: number;
  /** Consecutive completions without a verified pull request. */
  readonly unverifiedStreak: number;
  readonly lastUnverifiedAt: number;
  /** A hold for `no_work_needed` ends early when the issue changed after this time. */
  readonly heldAsOf: number | undefined;
}

/** The empty record of an issue. */
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

/** The hold on an issue now, if there is one. `itemUpdatedAt` is when the issue last changed at the code host (ms). */
export function holdOf(item: ItemRecord | undefined, itemUpdatedAt: number, now: number): Hold | undefined {
  if (item?.holdReason === undefined || now >= item.holdUntil) return undefined;
  if (item.heldAsOf !== undefined && itemUpdatedAt > item.heldAsOf) return undefined;
  return { reason: item.holdReason, until: item.holdUntil };
}

/** The number of counted failures that are not forgotten yet. */
export function failuresNow(item: ItemRecord | undefined, times: Durations, now: number): number {
  if (item === undefined || now - item.lastFailureAt >= times.quarantineMs) return 0;
  return item.failures;
}

/**
 * After a lost connection, a hand-back or an operator's requeue: a hold of ten minutes that counts as no failure. A longer
 * hold stays.
 */
export function bookUncounted(
  item: ItemRecord,
  reason: "connection_lost" | "given_back" | "requeued" | "failed",
  times: Durations,
  now: number,
): ItemRecord {
  return hold(item, reason, Math.max(item.holdUntil, now + times.dropHoldMs));
}

/** Removes the hold of a lost connection, because the task was resumed. */
export function clearDrop(item: ItemRecord): ItemRecord {
  return item.holdReason === "connection_lost" ? { ...item, holdReason: undefined, holdUntil: 0 } : item;
}

/** After a counted failure: a hold of ten minutes. The third in a row, or a permanent one, is a quarantine. */
export function bookFailure(item: ItemRecord, permanent: boolean, times: Durations, now: number): ItemRecord {
  const failures = failuresNow(item, times, now) + (permanent ? QUARANTINE_AT : 1);
  const counted = { ...item, failures, lastFailureAt: now };
  return failures >= QUARANTINE_AT
    ? hold(counted, "quarantined", now + times.quarantineMs)
    : hold(counted, "failed", now + times.failureHoldMs);
}

/** After a completion that names a pull request: held as if it were verified until the verification is done. */
export function bookVerifying(item: ItemRecord, times: Durations, now: number): ItemRecord {
  return hold({ ...item, failures: 0 }, "verifying", now + times.verifiedHoldMs);
}

/** After a completion whose pull request was verified. */
export function bookVerified(item: ItemRecord, times: Durations, completedAt: number): ItemRecord {
  return hold({ ...item, failures: 0, unverifiedStreak: 0 }, "completed", completedAt + times.verifiedHoldMs);
}

/**
 * After a completion without a verified pull request: held for 4 h, doubled for each in a row, up to the hold of a verified
 * one.
 */
export function bookUnverified(item: ItemRecord, times: Durations, now: number): ItemRecord {
  const remembered = now - item.lastUnverifiedAt < times.unverifiedForgetMs ? item.unverifiedStreak : 0;
  const holdMs = Math.min(times.verifiedHoldMs, times.unverifiedHoldMs * 2 ** Math.min(remembered, 20));
  const counted = { ...item, failures: 0, unverifiedStreak: remembered + 1, lastUnverifiedAt: now };
  return hold(counted, "completed_without_pull_request", now + holdMs);
}

/** After a completion with a verdict: nothing to do (held until the issue changes), or people must act first. */
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

/** Ends every hold and forgets the failures, because people want the issue tried again. */
export function lifted(item: ItemRecord): ItemRecord {
  return { ...item, holdReason: undefined, holdUntil: 0, failures: 0, heldAsOf: undefined };
}

function hold(item: ItemRecord, holdReason: HoldReason, holdUntil: number): ItemRecord {
  return { ...item, holdReason, holdUntil, heldAsOf: undefined };
}
