import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import type { FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildAccess } from "./access/build-access.ts";
import { doorkeeper, type VisitorRules } from "./access/visitor.ts";
import { buildAgents } from "./agents/build-agents.ts";
import { governorSettings } from "./agents/governor-settings.ts";
import { buildDashboard } from "./app.ts";
import { Backup } from "./backup/backup.ts";
import { linkCodeHost } from "./codehost/code-host.ts";
import { Configuration } from "./config/configuration.ts";
import { readSettings } from "./config/settings.ts";
import { Notifier } from "./notifications/notifier.ts";
import { TerminalGateway } from "./terminal/gateway.ts";

let folder = "";
let http: FastifyInstance;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-app-"));
});
afterEach(async () => {
  await http.close();
  await rm(folder, { recursive: true, force: true });
});

/** A nest behind an ingress at 10.1.0.0/16, whose page says who it took the visitor for. */
async function start(rules: Partial<VisitorRules> = {}): Promise<void> {
  const clock = new VirtualClock();
  const log = silentLog();
  const file = join(folder, "nest.yaml");
  await writeFile(file, "github: {app_id: 1}\n");
  const settings = readSettings({ NEST_DATA_DIR: folder, NEST_CONFIG: file, PATH: process.env.PATH });
  const configuration = await Configuration.open({ settings, clock, log, version: "0" });
  const config = configuration.running;
  const link = await linkCodeHost(config.github, { settings, clock, random: seededRandom(3) });
  const deps = { settings, clock, random: seededRandom(4), log, link, secrets: [], secretFiles: [] };
  const agents = await buildAgents(governorSettings(config), deps);
  const keeper = doorkeeper({
    hubProxied: true,
    trustedProxies: ["10.1.0.0/16"],
    proxyAuth: new Secret("proof-of-the-proxy"),
    now: () => clock.now(),
    strangersSee: "nothing",
    ...rules,
  });
  const nothing = async () => undefined;
  const random = seededRandom(5);
  const { signIn } = await buildAccess({ settings, config, clock, random, log, saveUsers: nothing, audit: nothing });
  const isKnownHost = () => true;
  const noTerminal = () => Promise.reject(new Error("there is no terminal here"));
  http = await buildDashboard({
    log,
    isKnownHost,
    keeper,
    signIn,
    terminals: new TerminalGateway({
      ...{ keeper, isKnownHost, clock, log, attach: noTerminal, openPty: noTerminal },
      hasAgent: () => false,
    }),
    agentNames: () => [],
    version: "0",
    metrics: async () => new Registry(),
    liveness: () => ({ status: "ok" }),
    backup: new Backup({
      tell: () => undefined,
      dataFolder: folder,
      filesFolder: folder,
      secretsFolder: folder,
      environment: {},
      nestId: "nest-1",
      version: "0",
      clock,
      random: seededRandom(1),
      log,
      settings: async () => ({ key_file: undefined, key_env: undefined, key_name: undefined }),
    }),
    random: seededRandom(2),
    clock,
    agentRoutes: {
      agents,
      dataFolder: folder,
      log,
      now: () => clock.now(),
      about: () => ({ nest_id: "nest-1", version: "0" }),
      switchAgent: async () => undefined,
    },
    healthRoutes: {
      agents,
      configuration,
      version: "0",
      nestId: "nest-1",
      checked: () => ({
        governor: agents.governor,
        startedAt: 0,
        now: clock.now(),
        unlinked: undefined,
        hub: undefined,
        backupTrouble: async () => undefined,
        ledgerProblems: async () => 0,
        notificationTrouble: () => [],
        configurationTrouble: async () => [],
        dataFolder: folder,
      }),
    },
    configRoutes: { configuration, audit: async () => undefined, tell: () => undefined, restart: undefined },
    notificationRoutes: {
      notifier: await Notifier.open(
        {
          ...{
            clock,
            log,
            random,
            nestId: "nest-1",
            dataFolder: folder,
            environment: {},
            webBase: "https://github.com",
          },
          address: () => undefined,
          redact: (text) => text,
        },
        config,
      ),
      audit: nothing,
    },
    home: (visitor) => (visitor.kind === "known" ? `known ${visitor.login} ${visitor.role}` : visitor.kind),
  });
}

const INGRESS = "10.1.2.3";
const ELSEWHERE = "203.0.113.9";
const BROWSER = { accept: "text/html" };

function as(role: string, login = "ada"): Record<string, string> {
  return { "x-nest-user": login, "x-nest-role": role };
}

async function get(url: string, remoteAddress: string, headers: Record<string, string> = {}) {
  return http.inject({ url, remoteAddress, headers });
}

test("behind an ingress that is trusted the page opens for whom it vouches", async () => {
  await start();
  expect((await get("/", INGRESS, as("read"))).body).toBe("known ada read");
  expect((await get("/", INGRESS)).body).toBe("stranger");
});

test("a role that anybody else says is nobody's, on every page and route", async () => {
  await start();
  expect((await get("/", ELSEWHERE, as("owner"))).body).toBe("stranger");
  for (const path of ["/backup", "/api/backup/status", "/api/config/governor/backup"]) {
    expect([path, (await get(path, ELSEWHERE, as("owner"))).statusCode]).toEqual([path, 403]);
    expect([path, (await get(path, INGRESS, as("owner"))).statusCode]).toEqual([path, 200]);
  }
});

test("a proxy elsewhere is believed by its proof, for pages as for routes", async () => {
  await start();
  const proven = { ...as("owner"), "x-nest-proxy-auth": "proof-of-the-proxy" };
  expect((await get("/", ELSEWHERE, proven)).body).toBe("known ada owner");
  expect((await get("/backup", ELSEWHERE, proven)).statusCode).toBe(200);
});

test.each(["read", "read-write", "merger"])("%s reads the page and makes no backup", async (role) => {
  await start();
  expect((await get("/", INGRESS, as(role))).body).toBe(`known ada ${role}`);
  expect((await get("/api/backup/status", INGRESS, as(role))).statusCode).toBe(403);
});

test("a public nest shows its page to everybody and its backup to its owner alone", async () => {
  await start({ strangersSee: "public" });
  expect((await get("/", ELSEWHERE, as("owner"))).body).toBe("reader");
  expect((await get("/api/backup/status", ELSEWHERE, as("owner"))).statusCode).toBe(403);
});

test("a page of the owner's that somebody else opens says so as a page, and to programs as data", async () => {
  await start();
  const page = await get("/backup", INGRESS, { ...as("read"), ...BROWSER });
  expect([page.statusCode, page.headers["content-type"]]).toEqual([403, "text/html; charset=utf-8"]);
  expect(page.body).toContain("Only the owner of this nest may do this");
  expect((await get("/backup", INGRESS, as("read"))).json()).toMatchObject({ code: "forbidden" });
});

test("the pages that the nest makes have the bar of all its pages, and lead nobody to one that is closed to them", async () => {
  await start();
  const backup = (await get("/backup", INGRESS, { ...as("owner"), ...BROWSER })).body;
  expect(backup).toContain('<a href="/backup" aria-current="page">');
  for (const address of ["/overview", "/terminal/", "/health"]) expect(backup).toContain(`<a href="${address}">`);
  const terminals = (await get("/terminal/", INGRESS, { ...as("read-write"), ...BROWSER })).body;
  expect(terminals).toContain('<a href="/terminal/" aria-current="page">');
  expect(terminals).toContain('<a href="/audit">');
  expect(terminals).not.toContain('"/backup"');
});

test("a change that another site's page asks for is refused, by whatever name the ingress forwards", async () => {
  await start();
  const change = (headers: Record<string, string>, remoteAddress = INGRESS) =>
    http.inject({
      method: "DELETE",
      url: "/api/config/governor/backup",
      remoteAddress,
      headers: { ...as("owner"), "x-nest-proxy-auth": "proof-of-the-proxy", host: "nest-1:3002", ...headers },
    });
  const origin = "https://acme.example.org";
  expect((await change({ origin: "https://evil.example" })).statusCode).toBe(403);
  expect((await change({ origin })).statusCode).toBe(403);
  expect((await change({ origin, "x-forwarded-host": "acme.example.org" })).statusCode).toBe(200);
});

test("every route is in the description of the API", async () => {
  await start();
  const { paths } = (await get("/api/openapi.json", INGRESS)).json();
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(["/", "/backup", "/api/backup", "/api/health", "/api/livez", "/metrics"]),
  );
});
