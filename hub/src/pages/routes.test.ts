import { fastify } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerPages } from "./routes.ts";

const app = fastify();
beforeAll(async () => {
  registerPages(app);
  await app.ready();
});
afterAll(() => app.close());

test("the live page runs under the strict policy and holds no inline script or style", async () => {
  const reply = await app.inject("/");
  expect(reply.headers["content-security-policy"]).toContain("script-src 'self'");
  expect(reply.body).not.toMatch(/<style|style="|\son\w+="|<script(?![^>]*src=)/);
});

test("without scripts the page leads to the data", async () => {
  const { body } = await app.inject("/");
  expect(/<noscript>[\s\S]*\/api\/contribute\/status[\s\S]*<\/noscript>/.test(body)).toBe(true);
});

test("every asset that the page and its script ask for is served", async () => {
  const page = (await app.inject("/")).body;
  const script = (await app.inject("/assets/live.js")).body;
  const asked = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
  const imported = [...script.matchAll(/from "\.\/([^"]+)"/g)].map((match) => `/assets/${match[1]}`);
  expect(imported).toHaveLength(2);
  for (const path of [...asked, ...imported]) expect((await app.inject(path)).statusCode, path).toBe(200);
});

test("every element that the script looks for is on the page", async () => {
  const page = (await app.inject("/")).body;
  const script = (await app.inject("/assets/live.js")).body;
  const ids = [...script.matchAll(/\bbyId\("([^"]+)"\)/g)].map((match) => match[1]!);
  const sections = [...script.matchAll(/\bnew Listing\("([^"]+)"/g)].map((match) => `${match[1]}-list`);
  expect(ids.length).toBeGreaterThan(1);
  for (const id of [...ids, ...sections]) expect(page, id).toContain(`id="${id}"`);
});

test("the browser gets the wording without types and without imports", async () => {
  const reply = await app.inject("/assets/live-words.js");
  expect(reply.headers["content-type"]).toContain("text/javascript");
  expect(reply.body).not.toMatch(/^\s*import|interface |: string/m);
  expect(reply.body).toContain("export function tell");
});
