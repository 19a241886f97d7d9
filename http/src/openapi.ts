import type { Route } from "@nest/protocol";
import { z } from "zod";

/** The authentication schemes, and which of them each kind of route accepts (any one of those listed). */
export interface Doors {
  readonly schemes: Readonly<Record<string, object>>;
  readonly of: (route: Route) => readonly string[];
}

/** The OpenAPI description of routes, generated from the schemas that validate them. */
export function openApiOf(
  routes: readonly Route[],
  { title, version, doors }: { readonly title: string; readonly version: string; readonly doors: Doors },
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-zA-Z_]+)/g, "{$1}");
    const parameters = [...route.path.matchAll(/:([a-zA-Z_]+)/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      summary: route.summary,
      "x-access": route.access,
      ...(route.access === "anyone" ? {} : { security: doors.of(route).map((name) => ({ [name]: [] })) }),
      parameters: [...parameters, ...queryParameters(route.query)],
      ...(route.body === undefined
        ? {}
        : { requestBody: { content: { "application/json": { schema: jsonSchema(route.body, "input") } } } }),
      responses: {
        200: {
          description: "done",
          content: { [route.produces ?? "application/json"]: { schema: jsonSchema(route.reply, "output") } },
        },
        default: { description: "an error body: error, code, hint" },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title, version },
    paths,
    components: { securitySchemes: doors.schemes },
  };
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

function jsonSchema(schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema: _ours, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
