import type { z } from "zod";

export type Access = "anyone" | "signed-in" | "admin" | "owner" | "spoke";

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
  readonly body?: Body;
  readonly query?: Query;
  readonly reply: Reply;
}

/** Keeps a route's exact types. */
export function route<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
  value: Route<Body, Query, Reply>,
): Route<Body, Query, Reply> {
  return value;
}
