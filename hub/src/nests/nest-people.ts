import { join } from "node:path";
import { type Clock, KeyedLock, NestError, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { type HostedNestRecord, type NestRole, nestRoles } from "@nest/protocol";
import { z } from "zod";
import type { UserStore } from "../access/users.ts";
import { givenRole, type Owned, whyNotGrant } from "./roles.ts";

export interface NestPeopleDeps {
  readonly users: Pick<UserStore, "all" | "read" | "change">;
  readonly clock: Clock;
  /** A nest's record as it is now. @throws NestError `nest_not_found` */
  readonly nestOf: (nestId: string) => Promise<Owned>;
  /** The folder of a nest's record. */
  readonly folderOf: (nestId: string) => string;
  /** Names another owner in a nest's record. */
  readonly setOwner: (nestId: string, login: string) => Promise<void>;
}

/** Who changes roles. */
export interface Giver {
  readonly role: NestRole | undefined;
  readonly isAdmin: boolean;
}

export interface Given {
  readonly username: string;
  readonly role: NestRole;
}

const AccessRequest = z.object({ username: z.string(), at: z.string() });
type AccessRequest = z.infer<typeof AccessRequest>;
const Requests = z.looseObject({ requests: z.array(AccessRequest).default([]) });
const MOST_REQUESTS = 100;

/**
 * Who has which role on a nest (spec: users' records name their nests, the nest's record its owner), and who asks for one. All
 * changes of one nest's people are made one after the other, so that its last owner cannot leave twice at once.
 */
export class NestPeople {
  readonly #deps: NestPeopleDeps;
  readonly #lock = new KeyedLock();

  constructor(deps: NestPeopleDeps) {
    this.#deps = deps;
  }

  /** Everybody with a role, owners first. */
  async of(nest: Owned): Promise<Given[]> {
    const given: Given[] = [];
    let hasOwner = nest.owner === "";
    for (const user of await this.#deps.users.all()) {
      const role = givenRole(nest, { login: user.github_username, user });
      if (role === undefined) continue;
      hasOwner ||= user.github_username.toLowerCase() === nest.owner.toLowerCase();
      given.push({ username: user.github_username, role });
    }
    if (!hasOwner) given.push({ username: nest.owner, role: "owner" });
    return given.sort((a, b) => rank(b.role) - rank(a.role) || a.username.localeCompare(b.username));
  }

  /**
   * Gives somebody a role in place of the one they have; answers with the one they had. A request of theirs is granted with it.
   *
   * @throws NestError `forbidden` (nobody gives a role at or above their own), `last_owner`.
   */
  grant(nestId: string, giver: Giver, { username, role }: Given): Promise<NestRole | undefined> {
    return this.#inTurn(nestId, async (nest) => {
      const before = await this.#roleOf(nest, username);
      refuse(whyNotGrant(giver, before, role));
      if (before === "owner" && role !== "owner") await this.#replaceOwner(nest, username);
      await this.#deps.users.change(username, (user) => ({ ...user, nests: { ...user.nests, [nest.id]: role } }));
      await this.#dropRequest(nest.id, username);
      return before;
    });
  }

  /**
   * Takes somebody's role away; answers with it.
   *
   * @throws NestError `forbidden`, `last_owner`, `not_found` for somebody who has none.
   */
  revoke(nestId: string, giver: Giver, username: string): Promise<NestRole> {
    return this.#inTurn(nestId, async (nest) => {
      const before = await this.#roleOf(nest, username);
      if (before === undefined) throw new NestError("not_found", `${username} has no role on this nest`);
      refuse(whyNotGrant(giver, before, undefined));
      if (before === "owner") await this.#replaceOwner(nest, username);
      await this.#forget(nest.id, username);
      return before;
    });
  }

  /** Takes a deleted nest out of everybody's record. */
  async forgetNest(nestId: string): Promise<void> {
    for (const user of await this.#deps.users.all())
      if (Object.hasOwn(user.nests, nestId)) await this.#forget(nestId, user.github_username);
  }

  /** Who asks for access, oldest first. A file that cannot be read holds none. */
  async requests(nestId: string): Promise<readonly AccessRequest[]> {
    const text = await readTextIfPresent(this.#requestsFile(nestId));
    try {
      return text === undefined ? [] : Requests.parse(JSON.parse(text)).requests;
    } catch {
      return [];
    }
  }

  /** Notes that somebody asks for access. @throws NestError `conflict` for who has a role, `too_many_requests`. */
  request(nestId: string, username: string): Promise<void> {
    return this.#inTurn(nestId, async (nest) => {
      const role = await this.#roleOf(nest, username);
      if (role !== undefined) throw new NestError("conflict", `you have the role ${role} on this nest already`);
      const requests = await this.requests(nest.id);
      if (requests.some((one) => sameLogin(one.username, username))) return;
      if (requests.length >= MOST_REQUESTS)
        throw new NestError("too_many_requests", "too many people ask for access to this nest at the moment", {
          hint: "ask its owner in another way",
        });
      const at = new Date(this.#deps.clock.now()).toISOString();
      await this.#saveRequests(nest.id, [...requests, { username, at }]);
    });
  }

  /** Turns a request down. @throws NestError `not_found` */
  deny(nestId: string, username: string): Promise<void> {
    return this.#inTurn(nestId, async () => {
      if (!(await this.#dropRequest(nestId, username)))
        throw new NestError("not_found", `${username} does not ask for access to this nest`);
    });
  }

  async #roleOf(nest: Owned, username: string): Promise<NestRole | undefined> {
    return givenRole(nest, { login: username, user: await this.#deps.users.read(username) });
  }

  /** An owner leaves: another one has to be there, and takes their place in the record. */
  async #replaceOwner(nest: Owned, leaving: string): Promise<void> {
    const others = (await this.of(nest)).filter(
      ({ username, role }) => role === "owner" && !sameLogin(username, leaving),
    );
    const [next] = others;
    if (next === undefined)
      throw new NestError("last_owner", `${leaving} is the last owner of this nest`, {
        hint: "a hub admin makes somebody else an owner first",
      });
    if (sameLogin(nest.owner, leaving)) await this.#deps.setOwner(nest.id, next.username);
  }

  async #forget(nestId: string, username: string): Promise<void> {
    await this.#deps.users.change(username, (user) => {
      const { [nestId]: _gone, ...nests } = user.nests;
      return { ...user, nests };
    });
  }

  async #dropRequest(nestId: string, username: string): Promise<boolean> {
    const requests = await this.requests(nestId);
    const left = requests.filter((one) => !sameLogin(one.username, username));
    if (left.length === requests.length) return false;
    await this.#saveRequests(nestId, left);
    return true;
  }

  #saveRequests(nestId: string, requests: readonly AccessRequest[]): Promise<void> {
    return writeFileAtomic(this.#requestsFile(nestId), `${JSON.stringify({ requests }, undefined, 2)}\n`);
  }

  #requestsFile(nestId: string): string {
    return join(this.#deps.folderOf(nestId), "requests.json");
  }

  /** Acts on a nest's record as it is when the changes before are done. */
  #inTurn<Result>(nestId: string, act: (nest: Owned) => Promise<Result>): Promise<Result> {
    return this.#lock.run(nestId, async () => act(await this.#deps.nestOf(nestId)));
  }
}

/** Whether a nest's record names somebody as its owner. */
export function isOwnerOf(login: string, { owner }: Pick<HostedNestRecord, "owner">): boolean {
  return owner !== "" && sameLogin(owner, login);
}

function sameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function rank(role: NestRole): number {
  return nestRoles.indexOf(role);
}

function refuse(because: string | undefined): void {
  if (because !== undefined) throw new NestError("forbidden", because);
}
