import { ErrorBody, type Route } from "@nest/protocol";
import { z } from "zod";

/** The OpenAPI description of `routes`, generated from the schemas that describe the wire. */
export function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const failure = content(ErrorBody);
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    paths[route.path] = item;
    item[route.method.toLowerCase()] = {
      summary: route.summary,
      responses: {
        200: { description: "As asked", ...content(route.reply) },
        default: { description: "What went wrong, and the next step", ...failure },
      },
    };
  }
  return { openapi: "3.1.0", info: { title: "Nest spoke", version }, paths };
}

function content(schema: z.ZodType): object {
  const json = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  return { content: { "application/json": { schema: json } } };
}
