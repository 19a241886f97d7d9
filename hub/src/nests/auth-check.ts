import { type Once, proxyProof, type Sessions } from "@nest/auth";
import type { Reading, Secret } from "@nest/kit";
import type { HostedNestRecord, NestRole } from "@nest/protocol";
import type { UserRecord } from "../access/users.ts";
import { type Holder, type NestPasses, PASS_COOKIE } from "./nest-pass.ts";
import { roleOn } from "./roles.ts";

/** What the ingress is told. */
export type Verdict =
  | {
      readonly kind: "allowed";
      /** Undefined on an address that everybody may open. */
      readonly user: string | undefined;
      readonly role: NestRole | undefined;
      /** With what the ingress proves to the nest that the hub said so. */
      readonly proof: string;
      /** The pass that the browser shall keep, where it came with a ticket. */
      readonly pass?: string;
    }
  | { readonly kind: "signed-out" }
  | { readonly kind: "refused"; readonly because: string };

export interface AuthCheckDeps {
  readonly nestOf: (id: string, reading: Reading) => Promise<Pick<HostedNestRecord, "id" | "owner"> | undefined>;
  readonly userOf: (login: string, reading: Reading) => Promise<UserRecord | undefined>;
  readonly sessions: Pick<Sessions, "whoIs">;
  readonly isAdmin: (who: { readonly login: string; readonly isFirstAccount: boolean }) => boolean;
  readonly passes: NestPasses;
  /** Lets a ticket pass once. */
  readonly once: Once;
  readonly dashboardToken: (nestId: string) => Secret;
  readonly now: () => number;
}

/** A request to a nest, as the ingress describes it. */
export interface AskedNest {
  readonly nest: string;
  /** Address and query of the request, as the browser sent it. */
  readonly uri: string;
  readonly cookies: ReadonlyMap<string, string>;
}

/** Each request to a nest asks: what was read a second ago will do, and the disk is left alone. */
const RECENT: Reading = { maxAgeMs: 1000 };
/** What is open to everybody on every nest. */
const PUBLIC = ["/snapshot", "/leaderboard", "/contribute", "/api/leaderboard", "/api/contribute", "/sso"];
const DOOR = "/sso";

/** Judges every request to a nest behind the hub's ingress (spec: Authentication, auth-check). */
export class AuthCheck {
  readonly #deps: AuthCheckDeps;

  constructor(deps: AuthCheckDeps) {
    this.#deps = deps;
  }

  async judge({ nest: id, uri, cookies }: AskedNest): Promise<Verdict> {
    const { nestOf, passes } = this.#deps;
    const nest = await nestOf(id, RECENT);
    if (nest === undefined) return { kind: "refused", because: "there is no such nest" };
    const path = pathOf(uri);
    const ticket = path === DOOR ? await this.#ticket(uri, id) : undefined;
    const person = ticket ?? (await this.#personBy(passes.openPass(cookies.get(PASS_COOKIE), id), cookies));
    const role = person === undefined ? undefined : roleOn(nest, person);
    if (person !== undefined && role !== undefined) {
      const pass = ticket === undefined ? {} : { pass: passes.pass(ticket.holder, id) };
      return { kind: "allowed", user: person.login, role, proof: this.#proof(id, person.login, role), ...pass };
    }
    if (isPublic(path)) return { kind: "allowed", user: undefined, role: undefined, proof: this.#proof(id) };
    return person === undefined
      ? { kind: "signed-out" }
      : { kind: "refused", because: "this identity has no role on the nest" };
  }

  #proof(nest: string, user?: string, role?: NestRole): string {
    return proxyProof(this.#deps.dashboardToken(nest), { user, role }, this.#deps.now());
  }

  async #ticket(uri: string, nest: string) {
    const { passes, once } = this.#deps;
    const text = new URLSearchParams(uri.split("?", 2)[1] ?? "").get("token");
    const open = text === null ? undefined : passes.openTicket(text, nest);
    if (open === undefined || !(await once.isFirst(open.nonce))) return undefined;
    const person = await this.#personOf(open.holder);
    return person === undefined ? undefined : { ...person, holder: open.holder };
  }

  async #personBy(holder: Holder | undefined, cookies: ReadonlyMap<string, string>) {
    if (holder !== undefined) return this.#personOf(holder);
    const who = await this.#deps.sessions.whoIs(cookies, RECENT);
    if (who === undefined) return undefined;
    const user = await this.#deps.userOf(who.login, RECENT);
    return user === undefined ? undefined : { login: who.login, user, isAdmin: this.#deps.isAdmin(who) };
  }

  /** Whose a pass is now: nobody's once the session ended, the user was blocked, or another account has the login. */
  async #personOf({ login, accountId, sid }: Holder) {
    const user = await this.#deps.userOf(login, RECENT);
    if (user === undefined || user.blocked) return undefined;
    if (sid !== undefined && user.ended_sessions[sid] !== undefined) return undefined;
    if (user.github_id !== undefined && user.github_id !== accountId) return undefined;
    const isFirstAccount = user.first_github_id === undefined || user.first_github_id === accountId;
    return { login: user.github_username, user, isAdmin: this.#deps.isAdmin({ login, isFirstAccount }) };
  }
}

/** The path of an address as the nest will read it; undefined when two servers could read it differently. */
export function pathOf(uri: string): string | undefined {
  const path = uri.replace(/^https?:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
  if (!path.startsWith("/") || /%|\\|;|\/\/|\/\.\.?(?:\/|$)/.test(path)) return undefined;
  return path;
}

function isPublic(path: string | undefined): boolean {
  return path !== undefined && PUBLIC.some((open) => path === open || path.startsWith(`${open}/`));
}
