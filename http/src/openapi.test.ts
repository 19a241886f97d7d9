import * as protocol from "@nest/protocol";
import { expect, test } from "vitest";
import { openApiOf } from "./openapi.ts";
import { exampleOf } from "./openapi-example.ts";

interface Operation {
  readonly "x-scope"?: string;
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly example: unknown } } };
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, { readonly example?: unknown }> }>>;
}

/** Every route that hub or nest describe. */
const routes = Object.values(protocol)
  .flatMap((area) => (typeof area === "object" && area !== null ? Object.values(area) : []))
  .flat()
  .filter((value): value is protocol.Route => typeof value === "object" && value !== null && "method" in value);

const doors = { schemes: {}, of: () => ["bearer"], hasApiTokens: true };

function operationOf(route: protocol.Route): Operation {
  const { paths } = openApiOf([route], { title: "", version: "", doors }) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.values(Object.values(paths)[0] ?? {})[0] as Operation;
}

test.each(routes.filter(({ body }) => body !== undefined).map((one) => [`${one.method} ${one.path}`, one] as const))(
  "the example body of %s is one that the route takes",
  (_name, route) => {
    const example = operationOf(route).requestBody?.content["application/json"].example;
    const checked = route.body?.safeParse(example);
    expect(checked?.error?.issues, JSON.stringify(example)).toBeUndefined();
  },
);

test.each(
  routes.filter(({ produces }) => produces === undefined).map((one) => [`${one.method} ${one.path}`, one] as const),
)("the example answer of %s is one that its description allows", (_name, route) => {
  const example = operationOf(route).responses["200"]?.content?.["application/json"]?.example;
  const checked = route.reply.safeParse(example);
  expect(checked.error?.issues, JSON.stringify(example)).toBeUndefined();
});

test("a route that takes input can answer 400, one that is not for anyone 401 and 403, each with an example", () => {
  const description = openApiOf([protocol.queue.hold], { title: "", version: "", doors });
  const { paths, components } = description as never as {
    paths: Record<string, Record<string, Operation>>;
    components: { responses: Record<string, { content: { "application/json": { example: { code: string } } } }> };
  };
  const operation = paths["/api/contribute/queue/hold"]?.post;
  expect(operation?.["x-scope"]).toBe("operate");
  expect(Object.keys(operation?.responses ?? {})).toEqual([
    "200",
    "400",
    "401",
    "403",
    "409",
    "413",
    "415",
    "429",
    "503",
  ]);
  expect(components.responses.E401?.content["application/json"].example.code).toBe("unauthenticated");
});

test("a schema that contains itself has an example all the same", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { inner: schema };
  expect(JSON.stringify(exampleOf(schema))).toContain("null");
});
