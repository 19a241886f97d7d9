/** Trust tiers of contributors. */
export const tiers = ["newcomer", "contributor", "trusted", "merger", "advisor", "revoked"] as const;
export type Tier = (typeof tiers)[number];

/** Limits of one tier; 0 = unlimited. */
export interface TierLimits {
  readonly max_per_hour: number;
  readonly max_per_day: number;
  readonly max_concurrent: number;
}

export const defaultTierLimits: Readonly<Record<Exclude<Tier, "revoked">, TierLimits>> = {
  newcomer: { max_per_hour: 3, max_per_day: 10, max_concurrent: 1 },
  contributor: { max_per_hour: 10, max_per_day: 50, max_concurrent: 2 },
  trusted: { max_per_hour: 30, max_per_day: 200, max_concurrent: 5 },
  merger: { max_per_hour: 30, max_per_day: 200, max_concurrent: 5 },
  advisor: { max_per_hour: 0, max_per_day: 0, max_concurrent: 0 },
};

/** What a task credential may do, by tier. */
export function permissionsOf(tier: Tier): readonly string[] {
  switch (tier) {
    case "newcomer":
      return ["issues:write"];
    case "contributor":
      return ["issues:write", "contents:write", "pulls:write"];
    case "trusted":
    case "merger":
      return ["issues:write", "contents:write", "pulls:write", "checks:read"];
    case "advisor":
      return ["metadata:read", "pulls:read"];
    case "revoked":
      return [];
  }
}
