import { ErrorBody, type Route, scopeOf } from "@nest/protocol";
import { z } from "zod";
import { exampleOf, type JsonSchema } from "./openapi-example.ts";

/** The authentication schemes, and which of them each kind of route accepts (any one of those listed). */
export interface Doors {
  readonly schemes: Readonly<Record<string, object>>;
  readonly of: (route: Route) => readonly string[];
  /** Whether callers may come with an API token: each route then says which scope it needs. */
  readonly hasApiTokens?: boolean;
}

/** The OpenAPI description of routes, generated from the schemas that validate them. */
export function openApiOf(
  routes: readonly Route[],
  { title, version, doors }: { readonly title: string; readonly version: string; readonly doors: Doors },
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-zA-Z_]+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route, doors);
  }
  return {
    openapi: "3.1.0",
    info: { title, version },
    paths,
    components: {
      securitySchemes: doors.schemes,
      schemas: { Error: jsonSchema(ErrorBody, "output") },
      responses: Object.fromEntries(
        Object.entries(errors).map(([status, error]) => [`E${status}`, errorAnswer(error)]),
      ),
    },
  };
}

function operationOf(route: Route, doors: Doors): Record<string, unknown> {
  const scope = doors.hasApiTokens === true ? (scopeOf(route) ?? route.scope) : undefined;
  return {
    summary: route.summary,
    "x-access": route.access,
    ...(scope === undefined ? {} : { "x-scope": scope }),
    ...(route.access === "anyone" ? {} : { security: doors.of(route).map((name) => ({ [name]: [] })) }),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { content: { "application/json": withExample(jsonSchema(route.body, "input")) } } }),
    responses: {
      200: { description: "done", content: { [route.produces ?? "application/json"]: answerOf(route) } },
      ...Object.fromEntries(errorsOf(route).map((status) => [status, { $ref: `#/components/responses/E${status}` }])),
    },
  };
}

/** What comes back: an example only of what is JSON. */
function answerOf(route: Route): Record<string, unknown> {
  const schema = jsonSchema(route.reply, "output");
  return route.produces === undefined ? withExample(schema) : { schema };
}

function withExample(schema: JsonSchema): Record<string, unknown> {
  return { schema, example: exampleOf(schema) };
}

/** The statuses of foreseen errors, each with an example of its body. Which of them a route can have: {@link errorsOf}. */
const errors: Readonly<Record<number, { readonly description: string; readonly example: ErrorBody }>> = {
  400: {
    description: "A value that this route does not take; the field is named",
    example: { error: "limit: too big: expected number to be <=500", code: "bad_request" },
  },
  401: {
    description: "No identity, or one that this server does not know",
    example: {
      error: "this needs somebody who is signed in",
      code: "unauthenticated",
      hint: "sign in at /login, or send Authorization: Bearer",
    },
  },
  403: {
    description:
      "Known, and not allowed: the role or the token's scope is not enough, or the request came from another site",
    example: { error: "this identity does not have the hub admin role", code: "forbidden" },
  },
  404: { description: "There is no such thing", example: { error: "there is no such task", code: "not_found" } },
  409: {
    description: "It contradicts what is stored now",
    example: { error: "somebody changed this meanwhile", code: "conflict", hint: "read it again" },
  },
  413: {
    description: "The body is too large",
    example: { error: "the request body is too large", code: "body_too_large" },
  },
  415: {
    description: "The body is not JSON",
    example: {
      error: "the request body must be JSON",
      code: "unsupported_media_type",
      hint: "send Content-Type: application/json",
    },
  },
  429: {
    description: "Too many requests; Retry-After says how many seconds to wait",
    example: {
      error: "too many requests from this address",
      code: "too_many_requests",
      hint: "try again in 5 s",
    },
  },
  503: {
    description: "Not now; Retry-After says how many seconds to wait",
    example: { error: "the hub is stopping", code: "hub_stopping", hint: "try again in 5 s" },
  },
};

function errorsOf({ access, method, path, query, body }: Route): readonly number[] {
  const takesInput = query !== undefined || body !== undefined;
  const changes = method !== "GET";
  return [
    ...(takesInput || changes ? [400] : []),
    ...(access === "anyone" ? [] : [401]),
    ...(access === "anyone" && !changes ? [] : [403]),
    ...(path.includes("/:") ? [404] : []),
    ...(changes ? [409] : []),
    ...(body === undefined ? [] : [413, 415]),
    429,
    503,
  ];
}

function errorAnswer({ description, example }: (typeof errors)[number]): Record<string, unknown> {
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" }, example } } };
}

function pathParameters(path: string): unknown[] {
  return [...path.matchAll(/:([a-zA-Z_]+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodType | undefined): unknown[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: jsonSchema(schema as z.ZodType, "input"),
  }));
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _ours, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
