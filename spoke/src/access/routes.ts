import { clearCookie, cookieIn, pathHere, SESSION_MS, setCookie } from "@nest/auth";
import type { RouteRegistry } from "@nest/http";
import type { Log } from "@nest/kit";
import { nestConfig, nestSignIn } from "@nest/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { mayUse } from "./admit.ts";
import type { AuthorizedUsers } from "./authorized-users.ts";
import { type DeviceFlows, REJECTED, signInMissing } from "./device-flows.ts";
import type { Grants } from "./grants.ts";
import type { NestSessions } from "./sessions.ts";
import type { SignInWay } from "./sign-in-way.ts";
import { SESSION_COOKIE, type Visitor } from "./visitor.ts";

/** The sign-in that a browser has begun. */
const FLOW_COOKIE = "nest_sign_in";

export interface SignInRouteDeps {
  readonly flows: DeviceFlows;
  readonly sessions: NestSessions;
  readonly users: AuthorizedUsers;
  readonly grants: Grants;
  /** How one signs in here. */
  readonly way: () => SignInWay;
  readonly log: Log;
  readonly audit: (line: {
    readonly actor: string;
    readonly action: string;
    readonly after?: unknown;
  }) => Promise<void>;
}

type Account = Parameters<NestSessions["begin"]>[0];

/** Serves the sign-in by device flow, the sign-out, and who is signed in. */
export function serveSignIn(routes: RouteRegistry<Visitor>, deps: SignInRouteDeps): void {
  const { flows, sessions, users, way, log, audit } = deps;

  const admit = async (account: Account, reply: FastifyReply) => {
    clearCookie(reply, FLOW_COOKIE);
    const { login } = account;
    const role = users.roleOf(login);
    if (role === undefined || sessions.isTakenOver(account)) {
      const because = role === undefined ? "not in authorized_users" : "the login belonged to another account before";
      log.warn({ login, because }, REJECTED);
      await audit({ actor: login, action: "login_denied", after: { because } });
      return { status: "error" as const, username: login, error: REJECTED };
    }
    // Always a new token: whatever session the browser brought along is not the one that it gets.
    await sessions.end(sessionTokenOf(reply.request));
    setCookie(reply, SESSION_COOKIE, await sessions.begin(account), SESSION_MS / 1000);
    await audit({ actor: login, action: "signed in", after: { role } });
    return { status: "complete" as const, username: login, role };
  };

  routes.serve(nestSignIn.start, async ({ request, reply }) => {
    const { by, hint = "" } = way();
    if (by !== "device") throw signInMissing(hint);
    const { flow, cookie } = await flows.start(flowOf(request), request.ip);
    const left = flows.secondsLeft(flow);
    setCookie(reply, FLOW_COOKIE, cookie, left);
    const { user_code, verification_uri, interval } = flow;
    return { user_code, verification_uri, interval, expires_in: left };
  });

  routes.serve(nestSignIn.poll, async ({ request, reply, viewer }) => {
    // Another window of this browser may have finished the sign-in that both show.
    if (flowOf(request) === undefined && viewer.kind === "known")
      return { status: "complete" as const, username: viewer.login, role: viewer.role };
    const state = await flows.poll(flowOf(request), request.ip);
    if (state.kind === "complete") return admit(state.account, reply);
    if (state.kind !== "failed") return { status: state.kind, interval: state.intervalSeconds };
    clearCookie(reply, FLOW_COOKIE);
    return { status: "error" as const, error: state.because };
  });

  routes.serve(nestSignIn.signInStatus, ({ viewer }) => {
    const { by, hint } = way();
    return {
      logged_in: viewer.kind === "known",
      ...(viewer.kind === "known" ? { username: viewer.login, role: viewer.role } : {}),
      by,
      ...(hint === undefined ? {} : { hint }),
      may: { read: mayUse("member", viewer), operate: mayUse("operator", viewer), configure: mayUse("owner", viewer) },
    };
  });

  routes.serve(nestSignIn.cameFromHub, ({ query, reply }) => reply.redirect(pathHere(query.to), 302));

  routes.serve(nestSignIn.logout, async ({ request, reply, viewer }) => {
    const token = sessionTokenOf(request);
    const hadSession = sessions.loginOf(token) !== undefined;
    await sessions.end(token);
    clearCookie(reply, SESSION_COOKIE);
    if (hadSession && viewer.kind === "known") await audit({ actor: viewer.login, action: "signed out" });
    return { ok: true as const };
  });
}

/** Serves who may sign in, for the owner to change. */
export function serveGrants(
  routes: RouteRegistry<Visitor>,
  { grants, way }: Pick<SignInRouteDeps, "grants" | "way">,
): void {
  routes.serve(nestConfig.setAuthorizedUsers, async ({ actor, body }) => ({
    ok: true as const,
    users: [...(await grants.set(actor, body.users))],
    // Behind a hub's proxy the hub says who has which role: the list counts once this nest signs people in itself.
    takes_effect: way().by === "proxy" ? ("restart" as const) : ("now" as const),
  }));
}

function flowOf(request: FastifyRequest): string | undefined {
  return cookieIn(request.raw.rawHeaders, FLOW_COOKIE);
}

function sessionTokenOf(request: FastifyRequest): string | undefined {
  return cookieIn(request.raw.rawHeaders, SESSION_COOKIE);
}
