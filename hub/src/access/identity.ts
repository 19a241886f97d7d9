import {
  bearerOf,
  cookiesOf,
  heartbeatKey,
  type Sessions,
  type SignedIn,
  sameSecret,
  type Throttle,
  tokenDigest,
  tooMany,
} from "@nest/auth";
import type { Ledger } from "@nest/dispatch";
import { isFromElsewhere, isSafe } from "@nest/http";
import { NestError, type Secret } from "@nest/kit";
import { apiTokens, NEST_ID_HEADER, type Route, scopeOf, tokenScopes } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
import type { ApiTokenRecord, ApiTokens } from "./api-tokens.ts";
import type { UserStore } from "./users.ts";
import { isAdmin, type Viewer } from "./viewer.ts";

export interface IdentityDeps {
  readonly adminToken: Secret | undefined;
  /** Logins with the hub admin role. */
  readonly admins: readonly string[];
  readonly hubSecret: Secret;
  /** Told of a heartbeat that was refused, with the nest that it named. */
  readonly onSpokeRefused: (nestId: string) => void;
  readonly plainUserCookie: boolean;
  readonly sessions: Sessions;
  readonly ledger: Ledger;
  readonly apiTokens: ApiTokens;
  readonly users: Pick<UserStore, "read">;
  /** Addresses that keep sending identities which are none. */
  readonly wrongTokens: Throttle;
}

const ANONYMOUS: Viewer = { kind: "anonymous" };

/** Says who asks, and whether a route is open to them. */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #admins: ReadonlySet<string>;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.#admins = new Set(deps.admins.map((login) => login.toLowerCase()));
  }

  /** Whether somebody who is signed in has the hub admin role. An account that took over an admin's login has not. */
  isAdmin({ login, isFirstAccount }: Pick<SignedIn, "login" | "isFirstAccount">): boolean {
    return isFirstAccount && this.#admins.has(login.toLowerCase());
  }

  /** Whether a login was given the hub admin role; what account has it now is not asked. */
  isAdminLogin(login: string): boolean {
    return this.#admins.has(login.toLowerCase());
  }

  /**
   * Whether the admin who made a token is an admin still: their account has the login, is not blocked, and the login has the role.
   */
  async isMadeByAdmin({ madeBy, madeByAccount }: ApiTokenRecord): Promise<boolean> {
    const user = await this.#deps.users.read(madeBy);
    if (user === undefined || user.blocked) return false;
    if (user.github_id !== undefined && user.github_id !== madeByAccount) return false;
    const { first_github_id: first } = user;
    return this.isAdmin({ login: madeBy, isFirstAccount: first === undefined || first === madeByAccount });
  }

  /**
   * Who asks for this route.
   *
   * @throws NestError `unauthenticated` without an identity where one is needed, `forbidden` with one that may not,
   * `foreign_origin` for a browser's request from another site, `spoke_unauthorized`, `too_many_requests`.
   */
  async admit(route: Route, request: FastifyRequest): Promise<Viewer> {
    refuseTokenInAddress(request);
    if (route.access === "code-host" || route.access === "ingress") return ANONYMOUS;
    if (route.access === "spoke") return this.#spoke(request);
    const viewer = await this.#viewer(request, route.access !== "anyone");
    this.#checkOrigin(request, viewer);
    if (viewer.kind === "api-token") return withinScope(route, viewer);
    if (route.access === "anyone") return viewer;
    if (viewer.kind === "anonymous" || (route.access === "signed-in" && viewer.kind === "contributor"))
      throw signInFirst();
    if (route.access === "admin" && !isAdmin(viewer))
      throw new NestError("forbidden", "this identity does not have the hub admin role");
    return viewer;
  }

  /** Who asks at this moment, without judging what for. */
  viewerOf(request: FastifyRequest): Promise<Viewer> {
    return this.#viewer(request, false);
  }

  #spoke(request: FastifyRequest): Viewer {
    const bearer = bearerOf(request);
    const master = this.#deps.hubSecret;
    if (bearer !== undefined && sameSecret(bearer, master.reveal())) return { kind: "spoke", nestId: undefined };
    const named = [request.headers[NEST_ID_HEADER]].flat()[0];
    if (bearer !== undefined && named !== undefined && sameSecret(bearer, heartbeatKey(master, named).reveal()))
      return { kind: "spoke", nestId: named };
    if (named !== undefined) this.#deps.onSpokeRefused(named);
    throw new NestError("spoke_unauthorized", "unauthorized");
  }

  async #viewer(request: FastifyRequest, needed: boolean): Promise<Viewer> {
    const bearer = bearerOf(request);
    if (bearer !== undefined) return this.#byBearer(bearer, request, needed);
    const who = await this.#deps.sessions.whoIs(cookiesOf(request));
    if (who === undefined) return ANONYMOUS;
    return { kind: "user", login: who.login, accountId: who.accountId, sid: who.sid, isAdmin: this.isAdmin(who) };
  }

  async #byBearer(bearer: string, request: FastifyRequest, needed: boolean): Promise<Viewer> {
    const { adminToken, ledger } = this.#deps;
    if (adminToken !== undefined && sameSecret(bearer, adminToken.reveal())) return { kind: "admin-token" };
    if (bearer.startsWith(apiTokens.TOKEN_PREFIX)) return this.#byApiToken(bearer, request);
    const contributor = ledger.contributorByDigest(tokenDigest(bearer));
    if (contributor !== undefined && contributor.tier !== "revoked")
      return { kind: "contributor", contributorId: contributor.id, login: contributor.login };
    // Where anyone may ask, a bearer can be for somebody else: a code-host token that proves a login.
    if (!needed) return ANONYMOUS;
    throw this.#wrongToken(request, "the token sent is not one of this hub");
  }

  /** An API token is meant for this hub alone, so a wrong one is refused also where anyone may ask. */
  async #byApiToken(bearer: string, request: FastifyRequest): Promise<Viewer> {
    const found = this.#deps.apiTokens.find(bearer);
    if (found === undefined)
      throw this.#wrongToken(request, "this API token is not one of this hub, was revoked, or has come to its end");
    if (!(await this.isMadeByAdmin(found)))
      throw this.#wrongToken(request, "this API token has no power: whoever made it is no longer an admin of this hub");
    this.#deps.apiTokens.used(found.id);
    const { id, name, scope, madeBy } = found;
    return { kind: "api-token", id, name, scope, madeBy };
  }

  /** Counts a wrong token of an address. */
  #wrongToken(request: FastifyRequest, sentence: string): NestError {
    const waitMs = this.#deps.wrongTokens.count(request.ip);
    return waitMs > 0 ? tooMany(waitMs, "too many wrong tokens from this address") : signInFirst(sentence);
  }

  /** A browser sends cookies along with requests that other sites make it send: those do not count. */
  #checkOrigin(request: FastifyRequest, viewer: Viewer): void {
    if (isSafe(request)) return;
    const unproven = viewer.kind === "user" && request.headers.origin === undefined && !this.#deps.plainUserCookie;
    if (isFromElsewhere(request, [request.host]) || unproven)
      throw new NestError("foreign_origin", "this request must come from the hub's own pages", {
        hint: "programs send Authorization: Bearer and no cookie",
      });
  }
}

/** A token in an address stands in logs and histories. @throws NestError `bad_request` */
function refuseTokenInAddress({ url }: FastifyRequest): void {
  if (!url.includes(apiTokens.TOKEN_PREFIX)) return;
  throw new NestError("bad_request", "an API token does not belong in an address", {
    hint: "send it as Authorization: Bearer; revoke this one, because addresses are written down in many places",
  });
}

/** @throws NestError `forbidden` for a token whose scope is not enough for the route. */
function withinScope(route: Route, viewer: Extract<Viewer, { kind: "api-token" }>): Viewer {
  const needed = scopeOf(route);
  if (needed === undefined)
    throw new NestError("forbidden", "this is for people: no API token is enough for it", {
      hint: "sign in at /login",
    });
  if (tokenScopes.indexOf(viewer.scope) < tokenScopes.indexOf(needed))
    throw new NestError("forbidden", `this needs an API token of the scope ${needed}, this one has ${viewer.scope}`, {
      hint: "an admin makes another one at /tokens",
    });
  return viewer;
}

function signInFirst(sentence = "this needs somebody who is signed in"): NestError {
  return new NestError("unauthenticated", sentence, {
    hint: "sign in at /login, or send Authorization: Bearer with the hub's NEST_HUB_ADMIN_TOKEN or, as a contributor, with your registration token",
  });
}
