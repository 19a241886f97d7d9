import type { Tier } from "./tiers.ts";

/** Roles that a hub may delegate to a contributor's relay; `supervisor` is never delegated. */
export const delegatableRoles = ["scanner", "quality", "outreach", "ci-maintainer", "sec-check", "architect"] as const;
export type DelegatableRole = (typeof delegatableRoles)[number];

/** What an owner can set for a contributor: a role, or `none`, which means general work whatever the relay asks for. */
export const assignableRoles = [...delegatableRoles, "none"] as const;
export type AssignableRole = (typeof assignableRoles)[number];

/** Roles that need nothing but the tier contributor; the others need the tier trusted and a grant to the person. */
const openRoles: ReadonlySet<string> = new Set(["scanner", "quality", "outreach"]);

export interface RoleStanding {
  readonly tier: Tier;
  readonly assigned: AssignableRole | undefined;
  readonly grants: readonly string[];
}

/**
 * The role a relay works in: an owner's setting if there is one; else the role that the relay asks for, if the hub delegates
 * it and the contributor's tier and grants allow it; else none.
 */
export function roleInForce(
  requested: string | undefined,
  standing: RoleStanding,
  delegated: readonly string[],
): DelegatableRole | undefined {
  const { tier, assigned, grants } = standing;
  if (assigned !== undefined) return assigned === "none" ? undefined : assigned;
  const role = delegatableRoles.find((one) => one === requested?.toLowerCase());
  if (role === undefined || !delegated.includes(role)) return undefined;
  const trusted = tier === "trusted" || tier === "merger";
  if (openRoles.has(role)) return trusted || tier === "contributor" ? role : undefined;
  return trusted && grants.includes(role) ? role : undefined;
}
