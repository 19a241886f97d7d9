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
import { NEST_ID_HEADER, type Route } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
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
   * Who asks for this route.
   *
   * @throws NestError `unauthenticated` without an identity where one is needed, `forbidden` with one that may not,
   * `foreign_origin` for a browser's request from another site, `spoke_unauthorized`, `too_many_requests`.
   */
  async admit(route: Route, request: FastifyRequest): Promise<Viewer> {
    if (route.access === "code-host" || route.access === "ingress") return ANONYMOUS;
    if (route.access === "spoke") return this.#spoke(request);
    const viewer = await this.#viewer(request, route.access !== "anyone");
    this.#checkOrigin(request, viewer);
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

  #byBearer(bearer: string, request: FastifyRequest, needed: boolean): Viewer {
    const { adminToken, ledger, wrongTokens } = this.#deps;
    if (adminToken !== undefined && sameSecret(bearer, adminToken.reveal())) return { kind: "admin-token" };
    const contributor = ledger.contributorByDigest(tokenDigest(bearer));
    if (contributor !== undefined && contributor.tier !== "revoked")
      return { kind: "contributor", contributorId: contributor.id, login: contributor.login };
    // Where anyone may ask, a bearer can be for somebody else: a code-host token that proves a login.
    if (!needed) return ANONYMOUS;
    const waitMs = wrongTokens.count(request.ip);
    if (waitMs > 0) throw tooMany(waitMs, "too many wrong tokens from this address");
    throw signInFirst("the token sent is not one of this hub");
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

function signInFirst(sentence = "this needs somebody who is signed in"): NestError {
  return new NestError("unauthenticated", sentence, {
    hint: "sign in at /login, or send Authorization: Bearer with the hub's NEST_HUB_ADMIN_TOKEN or, as a contributor, with your registration token",
  });
}
