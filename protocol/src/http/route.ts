import type { z } from "zod";

/**
 * Who may call a route. On a hub: anyone; a signed-in person; a contributor, by registration token or signed in; a hub admin; a spoke that has the hub's secret; the code host by
 * its signature; the ingress, for whoever asks it. On a nest: `reader`, everybody to whom the nest shows itself; `member`, a
 * person with any role on it, or at the machine that alone can reach it; `operator`, a role from `read-write` up; `owner`.
 */
export type Access =
  | "anyone"
  | "signed-in"
  | "contributor"
  | "admin"
  | "owner"
  | "spoke"
  | "code-host"
  | "ingress"
  | "reader"
  | "member"
  | "operator";

/** What an API token may do; each includes the one before. */
export const tokenScopes = ["read", "operate", "configure"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** One HTTP route, described once: the server registers it, clients call it, the OpenAPI page prints it. */
export interface Route<
  Body extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Fastify's form: `/api/contributors/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /**
   * The scope that an API token needs for this route; `people`: none is enough. Every route for admins says it. Where it is absent,
   * anybody's reading is open to a token as well, and nothing else.
   */
  readonly scope?: TokenScope | "people";
  readonly body?: Body;
  readonly query?: Query;
  readonly reply: Reply;
  /** Bytes of body that are read; 64 KiB unless said otherwise. */
  readonly bodyLimit?: number;
  /** Media type of the answer; JSON unless said otherwise. */
  readonly produces?: string;
}

/** A route for admins names the scope that an API token needs; for the others that is left to {@link scopeOf}. */
type SaysScope =
  | { readonly access: "admin"; readonly scope: TokenScope | "people" }
  | { readonly access: Exclude<Access, "admin"> };

/** Keeps a route's exact types. */
export function route<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
  value: Route<Body, Query, Reply> & SaysScope,
): Route<Body, Query, Reply> {
  return value;
}

/** The scope that an API token needs for a route; undefined where no token is enough. */
export function scopeOf({ scope, access, method }: Pick<Route, "scope" | "access" | "method">): TokenScope | undefined {
  if (scope === "people") return undefined;
  return scope ?? (access === "anyone" && method === "GET" ? "read" : undefined);
}
