import type { IncomingMessage } from "node:http";
import { type Asked, type Doors, isFromElsewhere, isSafe, knownHost } from "@nest/http";
import { NestError } from "@nest/kit";
import type { Access, Route } from "@nest/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { NestYaml } from "../config/nest-yaml.ts";
import { type Asking, type Doorkeeper, SESSION_COOKIE, type Visitor } from "./visitor.ts";

/** How callers of a nest say who they are, for the description of its API. */
export const doors: Doors = {
  schemes: {
    role: { type: "apiKey", in: "header", name: "X-Nest-Role" },
    session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
  },
  of: () => ["role", "session"],
};

const headersOfProxy = ["x-nest-user", "x-nest-role", "x-nest-proxy-auth"];

/** Takes away what a proxy says of whoever asks, before a route sees it: the one judgement is the doorkeeper's. */
export function dropProxyHeaders(http: FastifyInstance): void {
  http.addHook("onRequest", async ({ headers }) => {
    for (const name of headersOfProxy) delete headers[name];
  });
}

/**
 * Who asks for a route.
 *
 * @throws NestError `unauthenticated` where nobody is signed in, `forbidden` for every role that may not, `foreign_origin` for a
 * change that another site's page asks for.
 */
export function admit(route: Route, request: FastifyRequest, keeper: Doorkeeper): Visitor {
  const visitor = keeper.judge(request.raw);
  if (route.access !== "anyone" && !mayUse(route.access, visitor)) {
    if (visitor.kind !== "known" && visitor.because === "no session")
      throw new NestError("unauthenticated", "nobody is signed in here", { hint: "sign in at /sign-in" });
    throw new NestError("forbidden", `only ${whoMay(route.access)} may do this`);
  }
  if (!isSafe(request) && !isOwnPage(request.raw, visitor, keeper))
    throw new NestError("foreign_origin", "this request must come from the nest's own pages", {
      hint: "programs send no cookie; behind a proxy set dashboard.public_url to the address that people use",
    });
  return visitor;
}

/**
 * Whether a request that a browser may have been made to send comes from a page of this nest. A session's cookie comes along with
 * whatever a browser sends, so a request with one has to say where it is from.
 */
export function isOwnPage(request: IncomingMessage, visitor: Visitor, keeper: Doorkeeper): boolean {
  const asked: Asked = { method: request.method ?? "GET", headers: request.headers };
  if (isFromElsewhere(asked, keeper.hostsOf(request))) return false;
  return request.headers.origin !== undefined || !isBySession(request, visitor, keeper);
}

/** Whether a session, and not a proxy in front, says who asks. */
export function isBySession(asking: Asking, visitor: Visitor, keeper: Doorkeeper): boolean {
  return visitor.kind === "known" && !keeper.isFromProxy(asking);
}

/** Whether somebody may use what is open to `access`. Pure. */
export function mayUse(access: Access, visitor: Visitor): boolean {
  const role = visitor.kind === "known" ? visitor.role : undefined;
  switch (access) {
    case "reader":
      return visitor.kind !== "stranger";
    case "member":
      return role !== undefined || (visitor.kind === "reader" && visitor.sees === "everything");
    case "operator":
      return role !== undefined && role !== "read";
    default:
      // Whatever a nest does not know is its owner's alone.
      return role === "owner";
  }
}

function whoMay(access: Access): string {
  switch (access) {
    case "reader":
    case "member":
      return "people with a role on this nest";
    case "operator":
      return "people with the role read-write or more";
    default:
      return "the owner of this nest";
  }
}

/**
 * Whether a request asks for this nest by a name that it knows. A proxy that was named, or that proves
 * itself, answers for the names that it lets through.
 */
export function knownNest(
  listensOn: string,
  { dashboard, hub }: Pick<NestYaml, "dashboard" | "hub">,
  keeper: Doorkeeper,
): (request: IncomingMessage) => boolean {
  const addresses = [dashboard.public_url, hub.dashboard_url].filter((url) => url != null && URL.canParse(url));
  return knownHost({
    names: [listensOn, ...dashboard.hosts, ...addresses.map((url) => new URL(url ?? "").host)],
    isProxy: () => false,
    proxiesAreNamed: false,
    isVouchedFor: (request) => keeper.isFromNamedProxy(request),
  });
}
