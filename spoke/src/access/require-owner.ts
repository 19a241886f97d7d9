import { NestError } from "@nest/kit";
import type { FastifyRequest } from "fastify";
import { type VisitorRules, visitorOf } from "./visitor.ts";

/**
 * The login of the owner who asks.
 *
 * @throws NestError `unauthenticated` where nobody is signed in, `forbidden` for every other role, `foreign_origin` for a
 * change that another site's page asks for.
 */
export function requireOwner(request: FastifyRequest, rules: VisitorRules): string {
  const visitor = visitorOf({ peer: request.socket.remoteAddress ?? "", rawHeaders: request.raw.rawHeaders }, rules);
  if (visitor.kind === "refused" && visitor.because === "no session") {
    throw new NestError("unauthenticated", "nobody is signed in here", { hint: "open this nest through its hub" });
  }
  if (visitor.kind === "refused" || visitor.role !== "owner") {
    throw new NestError("forbidden", "only the owner of this nest may do this");
  }
  if (request.method !== "GET" && !isSameOrigin(request)) {
    throw new NestError("foreign_origin", "this request must come from the nest's own pages");
  }
  return visitor.login;
}

/** A browser says where a request comes from; a program says nothing and is no other site's page. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (headers.origin === undefined) return true;
  try {
    const { host } = new URL(headers.origin);
    return host === headers.host || host === headers["x-forwarded-host"];
  } catch {
    return false;
  }
}
