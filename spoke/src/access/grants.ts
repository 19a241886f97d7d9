import { NestError } from "@nest/kit";
import { type AuthorizedUsers, readGrant } from "./authorized-users.ts";
import type { NestSessions } from "./sessions.ts";

export interface GrantsDeps {
  readonly users: AuthorizedUsers;
  readonly sessions: NestSessions;
  /** Writes `dashboard.authorized_users` to the overlay (spec: precedence 5); durable when it returns. */
  readonly save: (entries: readonly string[], by: string) => Promise<void>;
  readonly audit: (what: {
    readonly actor: string;
    readonly action: string;
    readonly before: unknown;
    readonly after: unknown;
  }) => Promise<void>;
}

/** Changes who may sign in: one change after another, each in force when it returns. */
export class Grants {
  readonly #deps: GrantsDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: GrantsDeps) {
    this.#deps = deps;
  }

  /**
   * Puts another list in the place of the one in force, and answers with what it is then, each entry with its role.
   *
   * @throws NestError `bad_request` for an entry that is none or comes twice, `last_owner` where nobody would be an owner.
   */
  set(actor: string, entries: readonly string[]): Promise<readonly string[]> {
    const change = this.#last.then(() => this.#set(actor, entries));
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #set(actor: string, entries: readonly string[]): Promise<readonly string[]> {
    const { users, save, audit } = this.#deps;
    const after = checked(entries, "users");
    mustKeepOwner(users, after);
    const before = users.entries;
    await save(after, actor);
    await this.apply(after);
    await audit({ actor, action: "authorized users changed", before, after });
    return after;
  }

  /** Puts a list in force that is saved already: whoever lost their role is signed out, and disconnected. */
  async apply(entries: readonly string[]): Promise<void> {
    const { users, sessions } = this.#deps;
    users.set(entries);
    await sessions.keepOnly((login) => users.roleOf(login) !== undefined);
  }
}

/**
 * Refuses a list that may not be saved.
 *
 * @throws NestError `bad_request` for an entry that is none or comes twice, `last_owner` where nobody would be an owner, `conflict` where
 * an owner would take the role from themselves: by a slip they would be signed out, and could not take it back.
 */
export function mustBeGrants(users: AuthorizedUsers, entries: readonly string[], by: string): void {
  mustKeepOwner(users, checked(entries, "dashboard.authorized_users"));
  if (users.roleOf(by) !== "owner" || users.roleIn(entries, by) === "owner") return;
  throw new NestError("conflict", `this would take the role owner from ${by}, who is saving it`, {
    hint: "let another owner take it away",
  });
}

/** @throws NestError `last_owner` where nobody would be an owner with these entries. */
function mustKeepOwner(users: AuthorizedUsers, entries: readonly string[]): void {
  if (users.hasOwner(entries)) return;
  throw new NestError("last_owner", "this would leave the nest without an owner", {
    hint: "give somebody else the role owner first",
  });
}

/** The entries, each with its role. `key`: what they are called in a refusal. */
function checked(entries: readonly string[], key: string): string[] {
  const seen = new Set<string>();
  return entries.map((entry, at) => {
    const grant = readGrant(entry, at === 0);
    if (grant === undefined)
      throw new NestError(
        "bad_request",
        `${key}.${at}: expected <login>:<role>, the role one of read, read-write, merger, owner`,
      );
    const login = grant.login.toLowerCase();
    if (seen.has(login)) throw new NestError("bad_request", `${key}.${at}: ${grant.login} is in the list twice`);
    seen.add(login);
    return `${grant.login}:${grant.role}`;
  });
}
