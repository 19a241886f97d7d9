import { type Durations, STREAK_AT, type Tier } from "@nest/protocol";

/** A contributor's record (spec: Contributor and trust tier). The token itself is never kept, only its SHA-256. */
export interface Contributor {
  readonly id: string;
  /** The login as the code host spelled it when it was proven last; logins that differ in case are one person. */
  readonly login: string;
  /** Who it is, whatever the login: the code host's number. Undefined until a login was proven. */
  readonly accountId: number | undefined;
  readonly tokenDigest: string;
  readonly tier: Tier;
  readonly registeredAt: number;
  readonly lastActiveAt: number | undefined;
  /** Assignments ever made: the limits' windows count along this number. */
  readonly grants: number;
  /** The generation of the latest of them, from which their history is followed back; undefined before the first. */
  readonly lastGen: number | undefined;
  readonly completed: number;
  readonly verified: number;
  readonly failed: number;
  /** Verified pull requests at the last demotion by an admin: promotion counts from there. */
  readonly promotionBase: number;
  /** Counted failures in a row, each soon after acceptance. */
  readonly streak: number;
  readonly pausedUntil: number;
}

/** Verified pull requests that promote; 0 = by hand only. */
export interface Promotion {
  readonly contributorAt: number;
  readonly trustedAt: number;
}

/** The contributor after a counted failure: three soon after acceptance, in a row, are a pause of ten minutes. */
export function afterFailure(contributor: Contributor, acceptedAt: number, times: Durations, now: number): Contributor {
  const streak = now - acceptedAt <= times.streakFailureMs ? contributor.streak + 1 : 0;
  const failed = { ...contributor, failed: contributor.failed + 1, streak };
  return streak >= STREAK_AT ? { ...failed, streak: 0, pausedUntil: now + times.streakPauseMs } : failed;
}

/** The contributor after a completion, whatever it brought. */
export function afterCompletion(contributor: Contributor): Contributor {
  return { ...contributor, completed: contributor.completed + 1, streak: 0 };
}

/** The contributor after a pull request was verified: never above trusted, never out of advisor, merger or revoked. */
export function afterVerified(contributor: Contributor, promotion: Promotion): Contributor {
  const verified = contributor.verified + 1;
  const counted = verified - contributor.promotionBase;
  return { ...contributor, verified, tier: promoted(contributor.tier, counted, promotion) };
}

/** The contributor after an admin set their tier. Revoked is for good. */
export function afterTrust(contributor: Contributor, tier: Tier): Contributor {
  if (contributor.tier === "revoked") return contributor;
  const demoted = rank(tier) < rank(contributor.tier);
  return { ...contributor, tier, promotionBase: demoted ? contributor.verified : contributor.promotionBase };
}

function promoted(tier: Tier, counted: number, promotion: Promotion): Tier {
  const earned = (at: number) => at > 0 && counted >= at;
  if (tier === "newcomer") {
    // Where people alone make contributors, nobody gets past that step by counting.
    if (!earned(promotion.contributorAt)) return tier;
    return earned(promotion.trustedAt) ? "trusted" : "contributor";
  }
  return tier === "contributor" && earned(promotion.trustedAt) ? "trusted" : tier;
}

function rank(tier: Tier): number {
  return { revoked: -1, newcomer: 0, advisor: 0, contributor: 1, trusted: 2, merger: 3 }[tier];
}
