import { type Role, roles } from "./visitor.ts";

/** An entry of `dashboard.authorized_users` that gives somebody a role. */
export interface Grant {
  /** As it was written; logins are compared without regard to case. */
  readonly login: string;
  readonly role: Role;
}

/** A login as code hosts have them; some add `_` and a short name of an enterprise. */
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * Reads `<login>:<role>`. A login alone is the owner where it is the first entry of the list, and a reader anywhere else.
 * Undefined for everything that is not of this form: it gives nobody anything. Pure.
 */
export function readGrant(entry: string, isFirst: boolean): Grant | undefined {
  const [login = "", role, ...more] = entry.trim().split(":");
  if (!LOGIN.test(login.trim()) || more.length > 0) return undefined;
  const named = role === undefined ? (isFirst ? "owner" : "read") : roles.find((one) => one === role.trim());
  return named === undefined ? undefined : { login: login.trim(), role: named };
}

/** The grants of a list, and the entries that are none. Of two entries for one login the later counts. Pure. */
export function readGrants(entries: readonly string[]): {
  readonly grants: ReadonlyMap<string, Grant>;
  readonly faulty: readonly string[];
} {
  const grants = new Map<string, Grant>();
  const faulty: string[] = [];
  for (const [at, entry] of entries.entries()) {
    const grant = readGrant(entry, at === 0);
    if (grant === undefined) faulty.push(entry);
    else grants.set(grant.login.toLowerCase(), grant);
  }
  return { grants, faulty };
}

/** Who may sign in with which role: what the environment says, which stays, and the list of the configuration. */
export class AuthorizedUsers {
  readonly #always: ReadonlyMap<string, Grant>;
  #entries: readonly string[] = [];
  #grants: ReadonlyMap<string, Grant> = new Map();

  /** `always`: the entries of `NEST_AUTHORIZED_USERS`, which win over the configuration's. */
  constructor(always: readonly string[], entries: readonly string[]) {
    this.#always = readGrants(always).grants;
    this.set(entries);
  }

  /** The entries of the configuration in force, as they were written. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  get isEmpty(): boolean {
    return this.#grants.size === 0;
  }

  /** Whether anybody would be an owner if the configuration had these entries. */
  hasOwner(entries: readonly string[]): boolean {
    return [...this.#together(entries).values()].some(({ role }) => role === "owner");
  }

  /** The role that somebody would have if the configuration had these entries. */
  roleIn(entries: readonly string[], login: string): Role | undefined {
    return this.#together(entries).get(login.toLowerCase())?.role;
  }

  /** Puts the configuration's entries in force, at once. */
  set(entries: readonly string[]): void {
    this.#entries = [...entries];
    this.#grants = this.#together(entries);
  }

  roleOf(login: string): Role | undefined {
    return this.#grants.get(login.toLowerCase())?.role;
  }

  #together(entries: readonly string[]): ReadonlyMap<string, Grant> {
    return new Map([...readGrants(entries).grants, ...this.#always]);
  }
}
