import {
  type Budget,
  clearCookie,
  cookiesOf,
  pathHere,
  SESSION_MS,
  type Sessions,
  type SignedIn,
  type SignIn,
  setCookie,
} from "@nest/auth";
import type { Account } from "@nest/codehost";
import { access } from "@nest/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { cookieNames } from "./build-access.ts";
import type { Identity } from "./identity.ts";
import { type HubRoutes, isAdmin } from "./viewer.ts";

export interface AccessRouteDeps {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly identity: Identity;
  readonly webUrl: string;
  /** The hub's address as whoever asks should use it, without a trailing slash. */
  readonly ownAddress: (request: FastifyRequest) => string;
  /** Called when somebody has signed out. */
  readonly onSignOut: () => void;
  /** Sign-ins that strangers begin, and what they make the hub ask about those. */
  readonly signIns: Budget;
  readonly signInPolls: Budget;
  /** Shows the sign-in page, which leads on to a path of this hub. */
  readonly showLogin: (reply: FastifyReply, to: string, hasDeviceFlow: boolean) => FastifyReply;
}

const NONCE_COOKIE = "nest_hub_login";
const NONCE_SECONDS = 600;

/** Sign-in by the code host or by device flow, sign-out, and who is signed in. */
export function registerAccessRoutes(routes: HubRoutes, deps: AccessRouteDeps): void {
  const { sessions, signIn, identity, webUrl, ownAddress, signIns, signInPolls, showLogin } = deps;

  const welcome = async (reply: FastifyReply, account: Account): Promise<SignedIn> => {
    const { cookie, who } = await sessions.begin(account);
    const seconds = SESSION_MS / 1000;
    setCookie(reply, cookieNames.session, cookie, seconds);
    setCookie(reply, cookieNames.user, account.login, seconds);
    return who;
  };

  routes.serve(access.user, ({ viewer }) => ({
    authenticated: viewer.kind !== "anonymous",
    ...(viewer.kind === "user" || viewer.kind === "contributor"
      ? { login: viewer.login, avatar_url: `${webUrl}/${encodeURIComponent(viewer.login)}.png` }
      : {}),
    hub_admin: isAdmin(viewer),
    ...(viewer.kind === "api-token"
      ? { token: { name: viewer.name, scope: viewer.scope, made_by: viewer.madeBy } }
      : {}),
    sign_in: signIn.ways,
  }));

  routes.serve(access.login, ({ query, request, reply }) => {
    const to = pathHere(query.redirect ?? query.rd);
    if (!signIn.ways.oauth) return showLogin(reply, to, signIn.ways.device);
    signIns.spend(request.ip);
    const { address, nonce } = signIn.goThere(`${ownAddress(request)}/api/auth/callback`, to);
    setCookie(reply, NONCE_COOKIE, nonce, NONCE_SECONDS);
    return reply.redirect(address, 302);
  });

  routes.serve(access.callback, async ({ query, request, reply }) => {
    signInPolls.spend(request.ip);
    const nonce = cookiesOf(request).get(NONCE_COOKIE);
    const { account, to } = await signIn.comeBack({ code: query.code, state: query.state }, nonce);
    clearCookie(reply, NONCE_COOKIE);
    await welcome(reply, account);
    return reply.redirect(to, 302);
  });

  routes.serve(access.deviceStart, ({ request }) => {
    signIns.spend(request.ip);
    return signIn.startDevice();
  });

  routes.serve(access.devicePoll, async ({ body, request, reply }) => {
    signInPolls.spend(request.ip);
    const state = await signIn.pollDevice(body.login_id);
    if (state.status !== "complete") return state;
    const { status, account } = state;
    const who = await welcome(reply, account);
    return { status, login: account.login, hub_admin: identity.isAdmin(who) };
  });

  routes.serve(access.logout, async ({ request, reply }) => {
    await sessions.end(cookiesOf(request));
    deps.onSignOut();
    clearCookie(reply, cookieNames.session);
    clearCookie(reply, cookieNames.user);
    return { ok: true as const };
  });
}
