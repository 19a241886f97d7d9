import type { Contributor, DeciderPolicy, Ledger } from "@nest/dispatch";
import type { contribute, Durations, OwnLimitsLeft, TierLimits } from "@nest/protocol";

export interface LimitDeps {
  readonly ledger: Ledger;
  readonly times: Durations;
  readonly policy: () => DeciderPolicy;
}

/** How much of their tier's limits contributors have used (spec: Contributor and trust tier). */
export class ContributorLimits {
  readonly #deps: LimitDeps;

  constructor(deps: LimitDeps) {
    this.#deps = deps;
  }

  /** One contributor's limits, with the same windows as for admission to work. Undefined for a revoked contributor. */
  own(one: Contributor, now: number): contribute.OwnLimits | undefined {
    if (one.tier === "revoked") return undefined;
    const { ledger, times, policy } = this.#deps;
    const { limits, promotion } = policy();
    const { max_per_hour, max_per_day, max_concurrent } = limits[one.tier];
    const hour = this.#window(one, max_per_hour, times.hourWindowMs, now);
    const day = this.#window(one, max_per_day, times.dayWindowMs, now);
    const next = nextTier(one, promotion);
    return {
      username: one.login,
      contributor_id: one.id,
      tier: one.tier,
      used_hour: hour.used,
      used_day: day.used,
      held: ledger.heldBy(one.id),
      ...({ max_per_hour, max_per_day, max_concurrent } satisfies TierLimits),
      ...(hour.freesAt === undefined ? {} : { hour_frees_at: iso(hour.freesAt) }),
      ...(day.freesAt === undefined ? {} : { day_frees_at: iso(day.freesAt) }),
      ...(one.pausedUntil > now ? { paused_until: iso(one.pausedUntil) } : {}),
      tasks_completed: one.completed,
      tasks_verified: one.verified,
      tasks_failed: one.failed,
      ...(next === undefined ? {} : { next_tier: next }),
    };
  }

  /** A short form for the contributor's relay; undefined without limits, or for an unknown id. */
  left(contributorId: string, now: number): OwnLimitsLeft | undefined {
    const one = this.#deps.ledger.contributor(contributorId);
    if (one === undefined || one.tier === "revoked") return undefined;
    const { max_per_hour, max_per_day, max_concurrent } = this.#deps.policy().limits[one.tier];
    if (max_per_hour === 0 && max_per_day === 0 && max_concurrent === 0) return undefined;
    const own = this.own(one, now);
    if (own === undefined) return undefined;
    const { used_hour, used_day, held } = own;
    return { used_hour, used_day, held, max_per_hour, max_per_day, max_concurrent };
  }

  /** The number of assignments inside a rolling window, and when a full window has room again. */
  #window(
    one: Contributor,
    limit: number,
    windowMs: number,
    now: number,
  ): { used: number; freesAt: number | undefined } {
    const { ledger } = this.#deps;
    const least = Math.max(0, one.grants - MOST_COUNTED);
    let used = 0;
    for (let nth = one.grants; nth > least; nth -= 1) {
      const at = ledger.assignedAt(one, nth, now);
      if (at === undefined || at + windowMs <= now) break;
      used += 1;
    }
    if (limit <= 0 || used < limit) return { used, freesAt: undefined };
    const oldest = ledger.assignedAt(one, one.grants - limit + 1, now);
    return { used, freesAt: oldest === undefined ? undefined : oldest + windowMs };
  }
}

/** Maximum number of assignments counted for a contributor without limits. */
const MOST_COUNTED = 1000;

function nextTier(one: Contributor, at: DeciderPolicy["promotion"]): contribute.OwnLimits["next_tier"] {
  const counted = one.verified - one.promotionBase;
  if (one.tier === "newcomer" && at.contributorAt > 0)
    return { tier: "contributor", missing: Math.max(0, at.contributorAt - counted) };
  if (one.tier === "contributor" && at.trustedAt > 0)
    return { tier: "trusted", missing: Math.max(0, at.trustedAt - counted) };
  return undefined;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
