import { NestError, silentLog } from "@nest/kit";
import { type Route, route } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { RouteRegistry } from "./route-registry.ts";
import { buildServer } from "./server.ts";

const base = { summary: "", access: "anyone", reply: z.unknown() } as const;
const thing = route({
  ...base,
  method: "PUT",
  path: "/api/thing",
  body: z.strictObject({ size: z.number().optional() }),
});
const page = route({ ...base, method: "GET", path: "/page", produces: "text/html" });
const back = route({ ...base, method: "GET", path: "/api/auth/callback", produces: "text/html" });
const bug = route({ ...base, method: "GET", path: "/api/bug" });
const closed = route({ ...base, method: "GET", path: "/closed", access: "admin", scope: "read" });

let http: FastifyInstance;

beforeAll(async () => {
  http = await buildServer({
    log: silentLog(),
    isKnownHost: ({ headers }) => headers.host !== "evil.example",
    names: { what: "hub", hint: "ask by its name" },
  });
  const routes = new RouteRegistry<string>(http, {
    what: "hub",
    admit: ({ access }) => {
      if (access === "admin") throw new NestError("forbidden", "this is not for you", { hint: "ask an admin" });
      return "somebody";
    },
    actorOf: (who) => who,
    errorPage: ({ status, body }) => `<h1>${status} ${body.error}</h1>`,
  });
  routes.serve(thing, ({ body }) => ({ took: body }));
  routes.serve(page, ({ reply }) => reply.type("text/html").send("<p>a page</p>"));
  routes.serve(closed, () => ({}));
  routes.serve(back, () => {
    throw new NestError("too_many_requests", "too many sign-ins", { hint: "try again in 7 s" });
  });
  routes.serve(bug, () => {
    throw new Error("the password is hunter2");
  });
  await http.ready();
});
afterAll(() => http.close());

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const ask = (url: string, headers: Record<string, string> = {}, method: "GET" | "POST" = "GET") =>
  http.inject({ url, headers, method });

test("a route for admins that does not say which scope an API token needs is not served at all", async () => {
  const bare = await buildServer({
    log: silentLog(),
    isKnownHost: () => true,
    names: { what: "hub", hint: "ask by its name" },
  });
  const routes = new RouteRegistry<string>(bare, {
    what: "hub",
    admit: () => "somebody",
    actorOf: (who) => who,
    errorPage: () => "",
  });
  const forgotten: Route = { ...base, method: "GET", path: "/api/forgotten", access: "admin" };
  expect(() => routes.serve(forgotten, () => ({}))).toThrow(/does not say which scope/);
  await bare.close();
});

test("a program that asks for an unknown address is answered in JSON", async () => {
  const answer = await ask("/nowhere", { accept: "*/*" });
  expect([answer.statusCode, answer.json()]).toEqual([
    404,
    { error: "no such address on this hub", code: "not_found" },
  ]);
});

test.each([
  ["/nowhere", 404, "no such address on this hub"],
  ["/closed", 403, "this is not for you"],
  ["/api/auth/callback", 429, "too many sign-ins"],
])(
  "a browser that opens %s is shown a page, under the strict policy, that nobody keeps",
  async (url, status, words) => {
    const answer = await ask(url, BROWSER);
    expect([answer.statusCode, answer.body]).toEqual([status, `<h1>${status} ${words}</h1>`]);
    expect(answer.headers["content-type"]).toContain("text/html");
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["cache-control"]).toBe("no-store");
    if (status === 429) expect(answer.headers["retry-after"]).toBe("7");
  },
);

test.each(["/api/nowhere", "/api/bug", "/api/thing"])("%s is data, for browsers too", async (url) => {
  const answer = await ask(url, BROWSER);
  expect(answer.headers["content-type"]).toContain("application/json");
});

test("a form sent by a page is answered in JSON, because nobody opened a page", async () => {
  expect((await ask("/page", BROWSER, "POST")).json()).toMatchObject({ code: "method_not_allowed" });
});

test("a wrong method is answered with the allowed ones", async () => {
  const answer = await ask("/api/thing", {}, "POST");
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "PUT"]);
  const onPage = await ask("/page", {}, "POST");
  expect(onPage.headers.allow).toBe("GET, HEAD");
});

test("an unforeseen error reveals nothing about itself", async () => {
  const answer = await ask("/api/bug");
  expect([answer.statusCode, answer.json()]).toEqual([
    500,
    { error: "internal error", code: "internal", hint: "the hub's log has the reason" },
  ]);
});

test.each([
  ["{", 400, "bad_request"],
  ['{"size":"large"}', 400, "bad_request"],
  ['{"colour":1}', 400, "bad_request"],
  ["x".repeat(70_000), 413, "body_too_large"],
])("a body that cannot be taken (%#) is refused with its reason", async (payload, status, code) => {
  const headers = { "content-type": "application/json" };
  const answer = await http.inject({ method: "PUT", url: "/api/thing", headers, payload });
  expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
});

test("a body of another type than JSON is refused, and an empty one counts as absent", async () => {
  const put = (type: string, payload: string) =>
    http.inject({ method: "PUT", url: "/api/thing", headers: { "content-type": type }, payload });
  expect((await put("text/plain", "hello")).statusCode).toBe(415);
  expect((await put("application/json", "")).json()).toEqual({ took: {} });
});

test("a request under an unknown host name is refused, whatever it asks for", async () => {
  for (const url of ["/page", "/nowhere", "/api/bug"])
    expect((await ask(url, { host: "evil.example" })).statusCode).toBe(421);
});
