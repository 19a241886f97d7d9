import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Budget } from "@nest/auth";
import { CodeHostMemory } from "@nest/codehost";
import { RouteRegistry } from "@nest/http";
import { VirtualClock } from "@nest/kit";
import { governor } from "@nest/protocol";
import { fastify } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Viewer } from "../access/viewer.ts";
import { errorPage } from "./error-page.ts";
import { type PageDeps, registerPages } from "./routes.ts";

const folder = mkdtempSync(join(tmpdir(), "nest-pages-test-"));
const hostile = '<img src=x onerror="alert(1)">\u202e';
const deps: PageDeps = {
  describeApi: () => ({ paths: {}, components: { responses: {} } }),
  status: () => ({
    hub: "online",
    active_contributors: 1,
    total_registered: 2,
    actionable_items: 3,
    total_items: 4,
    withheld: {},
    suspended: false,
    announcement: hostile,
    in_flight: 0,
    completed_day: 0,
    surface: "hub",
    api_version: "1.2",
    repositories: [],
    revision: "0",
  }),
  activity: async () => [
    {
      id: 1,
      timestamp: "2026-01-01T00:00:00.000Z",
      username: hostile,
      action: "joined",
      task: hostile,
      url: "javascript:alert(1)",
    },
    {
      id: 2,
      timestamp: "2026-01-01T00:00:01.000Z",
      username: "ada",
      action: "pull request verified",
      url: "https://code.example/acme/one/pull/7",
    },
  ],
  settings: () => governor.defaultSettings,
  leaderboard: () => ({
    people: [
      {
        rank: 1,
        github_username: hostile,
        avatar_url: "",
        trust_tier: "newcomer",
        tasks_verified: 1,
        tasks_completed: 2,
        tasks_failed: 0,
        registered_at: "2026-01-01T00:00:00.000Z",
        active: true,
        is_agent: false,
      },
    ],
    agents: [],
  }),
  relayPackage: join(folder, "relay.tgz"),
  styleFetches: new Budget(new VirtualClock(), {
    what: "stylesheets asked for",
    perAddress: { most: 100, withinMs: 60_000 },
    inAll: { most: 100, withinMs: 60_000 },
  }),
  ownAddress: ({ protocol, host }) => `${protocol}://${host}`,
  codeHost: new CodeHostMemory(),
  codeHostAddress: { web: "https://code.example", api: "https://code.example/api/v3" },
  clock: new VirtualClock(),
};

const app = fastify();
const routes = new RouteRegistry<Viewer>(app, {
  what: "hub",
  admit: () => ({ kind: "anonymous" }),
  actorOf: () => "anyone",
  errorPage,
});
beforeAll(async () => {
  registerPages(app, routes, deps);
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

test("every asset that the page and its scripts ask for is served", async () => {
  const page = (await app.inject("/")).body;
  const wanted = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
  const served = new Set<string>();
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (served.has(path)) continue;
    served.add(path);
    const reply = await app.inject(path);
    expect(reply.statusCode, path).toBe(200);
    if (path.endsWith(".js"))
      wanted.push(...[...reply.body.matchAll(/^\s*import\b.* from "([^"]+)"|^\} from "([^"]+)"/gm)].map(importedFrom));
  }
  expect([...served]).toEqual(expect.arrayContaining(["/assets/activity.js", "/assets/reasons.js"]));
});

function importedFrom([, whole, end]: RegExpMatchArray): string {
  return new URL(whole ?? end ?? "", "http://hub/assets/").pathname;
}

test("every element that the script looks for is on the page", async () => {
  const page = (await app.inject("/")).body;
  const script = (await app.inject("/assets/live.js")).body;
  const ids = [...script.matchAll(/\bbyId\("([^"]+)"\)/g)].map((match) => match[1]!);
  const sections = [...script.matchAll(/\bnew Listing\("([^"]+)"/g)].map((match) => `${match[1]}-list`);
  expect(ids.length).toBeGreaterThan(1);
  for (const id of [...ids, ...sections]) expect(page, id).toContain(`id="${id}"`);
});

test.each(["live-words", "activity", "reasons"])(
  "the browser gets %s.js without types and loads nothing but its neighbours",
  async (name) => {
    const reply = await app.inject(`/assets/${name}.js`);
    expect(reply.headers["content-type"]).toContain("text/javascript");
    expect(reply.body).not.toMatch(/interface |: string/);
    expect(reply.body.replaceAll(/^\s*import .* from "\.\/\w+\.js";$/gm, "")).not.toMatch(/^\s*import/m);
    expect(reply.body).toContain("export function");
  },
);

test.each(["/contribute", "/leaderboard", "/contribute?cli=agy"])(
  "%s shows names with markup as text, under the strict policy",
  async (path) => {
    const reply = await app.inject(path);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(reply.body).not.toMatch(/<img|<style|style="|\son\w+="|<script(?![^>]*src=)|href="javascript:/);
    expect(reply.body).toContain("&lt;img src=x");
  },
);

test("the setup commands are of the chosen CLI, and of this hub", async () => {
  const { body } = await app.inject({ url: "/contribute?cli=codex", headers: { host: "hub.example" } });
  expect(body).toContain("contribute-setup codex");
  expect(body).toContain(
    "export NEST_GITHUB_URL=https://code.example NEST_GITHUB_API_URL=https://code.example/api/v3\n",
  );
  expect(body).toContain("NEST_HUB=ws://hub.example/contribute");
  const agy = (await app.inject("/contribute?cli=agy")).body;
  expect(agy).toContain("contribute-hive agy local");
  expect(agy).not.toContain("In a container");
});

test("the hub hands out the relay's package with its checksum, and its page says how to install it; without one, how to go on", async () => {
  const host = { host: "hub.example" };
  expect(await app.inject("/contribute/relay.tgz")).toMatchObject({ statusCode: 404 });
  expect((await app.inject("/contribute/relay.tgz")).json()).toMatchObject({ code: "relay_package_missing" });
  expect((await app.inject("/contribute")).body).toContain("in the folder bin of a checkout");
  for (const content of ["package", "the next release's"]) {
    writeFileSync(join(folder, "relay.tgz"), content);
    const digest = createHash("sha256").update(content).digest("hex");
    const reply = await app.inject("/contribute/relay.tgz");
    expect([reply.body, reply.headers["content-type"]]).toEqual([content, "application/gzip"]);
    expect((await app.inject("/contribute/relay.tgz.sha256")).body).toBe(`${digest}  relay.tgz\n`);
    const { body } = await app.inject({ url: "/contribute", headers: host });
    expect(body).toContain("npm i -g http://hub.example/contribute/relay.tgz");
    expect(body).toContain(digest);
  }
  rmSync(folder, { recursive: true });
});

test("the page names the guide, and the guide is there", async () => {
  expect((await app.inject("/contribute")).body).toContain('href="/contribute/guide"');
  expect((await app.inject("/contribute/guide")).body).toContain("# Contributing a machine");
});

test("the feed is worded in plain English, and a pull request is a link", async () => {
  const { body } = await app.inject("/contribute");
  expect(body).toContain(
    '<bdi>opened</bdi> <a href="https://code.example/acme/one/pull/7" rel="noopener noreferrer nofollow"><bdi>pull request #7</bdi></a> and the hub verified it',
  );
});

test("an invalid stylesheet name is not passed on to the page", async () => {
  expect((await app.inject("/leaderboard?style=https://evil.example/x.css")).body).not.toContain(
    "/api/leaderboard/style",
  );
  expect((await app.inject("/leaderboard?style=acme/site/board.css@main")).body).toContain(
    "/api/leaderboard/style?src=acme%2Fsite%2Fboard.css%40main",
  );
});
