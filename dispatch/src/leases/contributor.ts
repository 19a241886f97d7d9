import { type Durations, STREAK_AT, type Tier } from "@nest/protocol";

/** A contributor's record (spec: Contributor and trust tier). It holds the token's SHA-256, never the token. */
export interface Contributor {
  readonly id: string;
  /** The login as the code host spelled it when it was last proven. Logins that differ only in case are the same person. */
  readonly login: string;
  /** The account's number at the code host, which stays when the login changes. Undefined until a login was proven. */
  readonly accountId: number | undefined;
  readonly tokenDigest: string;
  readonly tier: Tier;
  readonly registeredAt: number;
  readonly lastActiveAt: number | undefined;
  /** Number of assignments ever made; the rolling limits count along it. */
  readonly grants: number;
  /** The generation of the latest assignment, from which earlier ones are found; undefined before the first. */
  readonly lastGen: number | undefined;
  readonly completed: number;
  readonly verified: number;
  readonly failed: number;
  /** Number of verified pull requests when an admin last demoted the contributor; promotion counts from there. */
  readonly promotionBase: number;
  /** Consecutive counted failures, each soon after acceptance. */
  readonly streak: number;
  readonly pausedUntil: number;
}

/** The record of somebody new: a newcomer who has done nothing yet. */
export function newContributor(
  who: Pick<Contributor, "id" | "login" | "accountId" | "tokenDigest">,
  registeredAt: number,
): Contributor {
  return {
    ...who,
    tier: "newcomer",
    registeredAt,
    lastActiveAt: undefined,
    grants: 0,
    lastGen: undefined,
    completed: 0,
    verified: 0,
    failed: 0,
    promotionBase: 0,
    streak: 0,
    pausedUntil: 0,
  };
}

/** Numbers of verified pull requests that promote; 0 = only an admin promotes. */
export interface Promotion {
  readonly contributorAt: number;
  readonly trustedAt: number;
}

/**
 * The contributor after a counted failure. Three in a row, each soon after acceptance, pause the contributor for ten minutes.
 */
export function afterFailure(contributor: Contributor, acceptedAt: number, times: Durations, now: number): Contributor {
  const streak = now - acceptedAt <= times.streakFailureMs ? contributor.streak + 1 : 0;
  const failed = { ...contributor, failed: contributor.failed + 1, streak };
  return streak >= STREAK_AT ? { ...failed, streak: 0, pausedUntil: now + times.streakPauseMs } : failed;
}

/** The contributor after a completion, with or without a pull request. */
export function afterCompletion(contributor: Contributor): Contributor {
  return { ...contributor, completed: contributor.completed + 1, streak: 0 };
}

/** The contributor after a verified pull request. Promotion ends at trusted and leaves advisor, merger and revoked alone. */
export function afterVerified(contributor: Contributor, promotion: Promotion): Contributor {
  const verified = contributor.verified + 1;
  const counted = verified - contributor.promotionBase;
  return { ...contributor, verified, tier: promoted(contributor.tier, counted, promotion) };
}

/** The contributor after an admin set the tier. Revocation is permanent. */
export function afterTrust(contributor: Contributor, tier: Tier): Contributor {
  if (contributor.tier === "revoked") return contributor;
  const demoted = rank(tier) < rank(contributor.tier);
  return { ...contributor, tier, promotionBase: demoted ? contributor.verified : contributor.promotionBase };
}

function promoted(tier: Tier, counted: number, promotion: Promotion): Tier {
  const earned = (at: number) => at > 0 && counted >= at;
  if (tier === "newcomer") {
    // With automatic promotion to contributor switched off, counting promotes no newcomer to a higher tier either.
    if (!earned(promotion.contributorAt)) return tier;
    return earned(promotion.trustedAt) ? "trusted" : "contributor";
  }
  return tier === "contributor" && earned(promotion.trustedAt) ? "trusted" : tier;
}

function rank(tier: Tier): number {
  return { revoked: -1, newcomer: 0, advisor: 0, contributor: 1, trusted: 2, merger: 3 }[tier];
}
