import type { Durations, Tier, TierLimits, UnavailableReason } from "@nest/protocol";
import type { Contributor } from "./contributor.ts";
import type { Ledger } from "./ledger.ts";
import { pauseFor, pauseOf } from "./pause.ts";

export interface TierPolicy {
  readonly suspended: boolean;
  readonly disabledTiers: ReadonlySet<Tier>;
  readonly limits: Readonly<Record<Exclude<Tier, "revoked">, TierLimits>>;
}

/** Why a relay gets no work. */
export interface Refusal {
  readonly kind: "refused";
  readonly reason: UnavailableReason;
  readonly retryAfterMs?: number;
  /** What an admin said about it, for the contributor. */
  readonly note?: string;
}

export type Admission = { readonly kind: "admitted"; readonly contributor: Contributor } | Refusal;

/** What keeps every relay from work now, whoever runs it. */
export function hubWideRefusals(
  { suspended }: Pick<TierPolicy, "suspended">,
  ledger: Pick<Ledger, "setting">,
  isReady: boolean,
  now: number,
): Refusal[] {
  const pause = pauseOf(ledger, { kind: "everything" }, now);
  return [
    ...(suspended ? [{ kind: "refused", reason: "contribution_suspended" } as const] : []),
    ...(isReady ? [] : [{ kind: "refused", reason: "hub_not_ready" } as const]),
    ...(pause === undefined ? [] : [refusedBy({ scope: "everything", pause }, now)]),
  ];
}

/**
 * Decides whether a contributor's relay may get work at all. The checks run in a fixed order, and the first that fails gives the
 * reason (suspended, not ready, pause of everybody, tier, other pauses, concurrency, hour, day, failure streak). The rolling limits count the recorded
 * assignments, so they hold across connections and restarts; 0 = unlimited.
 */
export function admit(
  contributor: Contributor,
  identity: string,
  policy: TierPolicy,
  ledger: Ledger,
  isReady: boolean,
  times: Durations,
  now: number,
): Admission {
  const [closed] = hubWideRefusals(policy, ledger, isReady, now);
  if (closed !== undefined) return closed;
  if (contributor.tier === "revoked" || policy.disabledTiers.has(contributor.tier))
    return { kind: "refused", reason: "tier_disabled" };
  const paused = pauseFor(ledger, { contributorId: contributor.id, identity }, now);
  if (paused !== undefined) return refusedBy(paused, now);
  const limits = policy.limits[contributor.tier];
  if (limits.max_concurrent > 0 && ledger.heldBy(contributor.id) >= limits.max_concurrent) {
    return { kind: "refused", reason: "concurrency_limit" };
  }
  const hourly = windowWaitMs(contributor, limits.max_per_hour, times.hourWindowMs, ledger, now);
  if (hourly > 0) return { kind: "refused", reason: "hourly_limit", retryAfterMs: hourly };
  const daily = windowWaitMs(contributor, limits.max_per_day, times.dayWindowMs, ledger, now);
  if (daily > 0) return { kind: "refused", reason: "daily_limit", retryAfterMs: daily };
  if (now < contributor.pausedUntil) {
    return { kind: "refused", reason: "contributor_failure_streak", retryAfterMs: contributor.pausedUntil - now };
  }
  return { kind: "admitted", contributor };
}

function refusedBy({ scope, pause }: NonNullable<ReturnType<typeof pauseFor>>, now: number): Refusal {
  return {
    kind: "refused",
    reason: scope === "everything" ? "contribution_suspended" : "paused",
    ...(pause.until === null ? {} : { retryAfterMs: pause.until - now }),
    ...(pause.note === "" ? {} : { note: pause.note }),
  };
}

/** Milliseconds until a rolling window of `limit` assignments has room for one more; 0 when it has room now. */
function windowWaitMs(contributor: Contributor, limit: number, windowMs: number, ledger: Ledger, now: number): number {
  if (limit <= 0 || contributor.grants < limit) return 0;
  // The window is full when the assignment `limit` places back is still inside it.
  const oldest = ledger.assignedAt(contributor, contributor.grants - limit + 1, now);
  return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now);
}
