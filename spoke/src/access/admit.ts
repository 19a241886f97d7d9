import type { IncomingMessage } from "node:http";
import { type Doors, isFromElsewhere, isSafe, knownHost } from "@nest/http";
import { NestError } from "@nest/kit";
import type { Access, Route } from "@nest/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { NestYaml } from "../config/nest-yaml.ts";
import type { Doorkeeper, Visitor } from "./visitor.ts";

/** How callers of a nest say who they are, for the description of its API. */
export const doors: Doors = {
  schemes: { role: { type: "apiKey", in: "header", name: "X-Nest-Role" } },
  of: () => ["role"],
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
  if (route.access === "anyone") return visitor;
  if (!mayUse(route.access, visitor)) {
    if (visitor.kind !== "known" && visitor.because === "no session")
      throw new NestError("unauthenticated", "nobody is signed in here", {
        hint: "sign in, or open this nest through its hub",
      });
    throw new NestError("forbidden", `only ${whoMay(route.access)} may do this`);
  }
  if (!isSafe(request) && isFromElsewhere(request, hostsOf(request.raw, keeper)))
    throw new NestError("foreign_origin", "this request must come from the nest's own pages");
  return visitor;
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

/** The names by which a request asks: its own, and behind a proxy the one that was asked there. */
function hostsOf(request: IncomingMessage, keeper: Doorkeeper): (string | undefined)[] {
  const forwarded = keeper.isFromProxy(request) ? request.headers["x-forwarded-host"] : undefined;
  return [request.headers.host, ...[forwarded].flat()];
}

/**
 * Whether a request asks for this nest by a name that it knows (contract §8, Wire 17). A proxy that was named, or that proves
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
