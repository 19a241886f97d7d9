import { cookiesOf, pathHere, setCookie } from "@nest/auth";
import { NestError } from "@nest/kit";
import { nestAddress, nests } from "@nest/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UserStore } from "../access/users.ts";
import type { HubRoutes } from "../access/viewer.ts";
import { personOf, type ReadNest } from "./asker.ts";
import type { AuthCheck, Verdict } from "./auth-check.ts";
import { type NestPasses, PASS_COOKIE } from "./nest-pass.ts";
import { roleOn } from "./roles.ts";

export interface DoorRouteDeps {
  readonly authCheck: AuthCheck;
  readonly passes: NestPasses;
  readonly readNest: ReadNest;
  readonly users: UserStore;
}

/** A pass is kept as long as a session. */
const PASS_SECONDS = 7 * 24 * 3600;

/** The door of hosted nests: what the ingress asks for each request, and the way from the hub to a nest. */
export function registerDoorRoutes(routes: HubRoutes, deps: DoorRouteDeps): void {
  const { authCheck, passes, readNest, users } = deps;

  routes.serve(nests.authCheck, async ({ query, request, reply }) => {
    const { nest } = query;
    if (nest === undefined || nest === "")
      throw new NestError("bad_request", "nest: required", { hint: "the ingress asks /api/saas/auth-check?nest=<id>" });
    const asked = { nest, uri: uriOf(request, query.uri), cookies: cookiesOf(request) };
    return answer(reply, await authCheck.judge(asked));
  });

  routes.serve(nests.open, async ({ params: { id = "" }, query, viewer, reply }) => {
    const to = pathIn(query.to ?? query.rd);
    const here = `/api/saas/nests/${encodeURIComponent(id)}/open?to=${encodeURIComponent(to)}`;
    if (viewer.kind !== "user") return reply.redirect(`/login?redirect=${encodeURIComponent(here)}`, 302);
    const person = await personOf(viewer, users);
    // A nest that there is not is answered as one without a role on it: ids cannot be tried out.
    const nest = await readNest(id).catch((thrown: unknown) => {
      if (person.isAdmin || !(thrown instanceof NestError) || thrown.code !== "nest_not_found") throw thrown;
    });
    const role = nest === undefined ? undefined : roleOn(nest, person);
    if (nest === undefined || role === undefined)
      return reply.redirect(`/my-nests/${encodeURIComponent(id)}/no-access`, 302);
    if (nest.subdomain === "")
      throw new NestError("conflict", "this nest has no address of its own yet", {
        hint: "its page under My nests says what is missing",
      });
    const { login, accountId, sid } = viewer;
    const token = passes.ticket({ login, accountId, sid }, id);
    return reply.redirect(`${nestAddress(nest.subdomain)}/sso?${new URLSearchParams({ token, to })}`, 302);
  });
}

/** The address that the browser asked the ingress for. */
function uriOf({ headers }: FastifyRequest, uri: string | undefined): string {
  const [first] = [headers["x-original-uri"], headers["x-original-url"], uri].flat().filter((one) => one !== undefined);
  return first ?? "";
}

function answer(reply: FastifyReply, verdict: Verdict): { ok: true } {
  reply.header("cache-control", "no-store");
  if (verdict.kind === "signed-out")
    throw new NestError("unauthenticated", "nobody is signed in", { hint: "open the nest from My nests on the hub" });
  if (verdict.kind === "refused") throw new NestError("forbidden", verdict.because);
  const { user, role, proof, pass } = verdict;
  if (user !== undefined && role !== undefined) {
    reply.header("x-nest-user", user);
    reply.header("x-nest-role", role);
  }
  reply.header("x-nest-proxy-auth", proof);
  if (pass !== undefined) setCookie(reply, PASS_COOKIE, pass, PASS_SECONDS);
  return { ok: true };
}

/** A path on the nest; nginx names the whole address that was asked for. */
function pathIn(to: string | undefined): string {
  return pathHere(to?.replace(/^https?:\/\/[^/?#]*/i, ""));
}
