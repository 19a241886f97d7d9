import type { HostedNestRecord, NestRole } from "@nest/protocol";
import { isRoleAtLeast, nestRoles } from "@nest/protocol";
import type { UserRecord } from "../access/users.ts";

/** Somebody who is signed in, as far as roles on nests go. */
export interface Person {
  readonly login: string;
  /** What the hub keeps of them; undefined for automation with the hub's admin token. */
  readonly user: Pick<UserRecord, "nests" | "blocked"> | undefined;
  readonly isAdmin: boolean;
}

/** What decides about roles, out of a nest's record. */
export type Owned = Pick<HostedNestRecord, "id" | "owner">;

/**
 * The role of a person on a nest: the one that was given, `owner` for the owner that the record names. A hub admin acts as an
 * owner on every nest. Undefined: none.
 */
export function roleOn(nest: Owned, person: Person): NestRole | undefined {
  if (person.user?.blocked === true) return undefined;
  return person.isAdmin ? "owner" : givenRole(nest, person);
}

/** The role that somebody was given, whatever they are on the hub. */
export function givenRole({ id, owner }: Owned, { login, user }: Omit<Person, "isAdmin">): NestRole | undefined {
  if (owner !== "" && owner.toLowerCase() === login.toLowerCase()) return "owner";
  const given = user === undefined || !Object.hasOwn(user.nests, id) ? undefined : user.nests[id];
  return nestRoles.find((role) => role === given);
}

/**
 * Why somebody may not change a role to another one (undefined: none); undefined when they may. Nobody gives or takes a role at
 * or above their own; a hub admin may everything, and alone makes a second owner.
 */
export function whyNotGrant(
  giver: { readonly role: NestRole | undefined; readonly isAdmin: boolean },
  before: NestRole | undefined,
  after: NestRole | undefined,
): string | undefined {
  if (giver.isAdmin) return undefined;
  const { role } = giver;
  if (role === undefined || !isRoleAtLeast(role, "owner")) return "only an owner of the nest gives and takes roles";
  if (after !== undefined && isRoleAtLeast(after, role)) return "only a hub admin makes a second owner";
  if (before !== undefined && isRoleAtLeast(before, role)) return "only a hub admin takes an owner's role away";
  return undefined;
}
