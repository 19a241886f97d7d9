import { type AssignableRole, type RoleStanding, roleInForce } from "@nest/protocol";
import type { Ledger } from "../leases/ledger.ts";

const PREFIX = "roles:";

/** The delegated roles that an owner gave a contributor. */
export interface RoleSetting {
  readonly assigned: AssignableRole | undefined;
  readonly grants: readonly string[];
}

/** The name of the setting that holds a contributor's roles. */
export function roleSettingOf(contributorId: string): string {
  return PREFIX + contributorId;
}

/** The roles that an owner gave a contributor; empty if none were set. */
export function rolesOf(ledger: Ledger, contributorId: string): RoleSetting {
  const stored = ledger.setting(roleSettingOf(contributorId)) as Partial<RoleSetting> | undefined;
  return { assigned: stored?.assigned ?? undefined, grants: stored?.grants ?? [] };
}

/**
 * The role in which a contributor's relay works: follows from the role it requests, its tier and roles, and the roles that
 * the hub delegates.
 */
export function roleFor(
  ledger: Ledger,
  contributorId: string,
  requested: string | undefined,
  delegated: readonly string[],
): string | undefined {
  const contributor = ledger.contributor(contributorId);
  if (contributor === undefined) return undefined;
  const standing: RoleStanding = { tier: contributor.tier, ...rolesOf(ledger, contributorId) };
  return roleInForce(requested, standing, delegated);
}
