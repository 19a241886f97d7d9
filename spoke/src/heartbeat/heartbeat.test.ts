import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLog, Secret, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { Heartbeat } from "@nest/protocol";
import { afterEach, expect, test } from "vitest";
import { readNestYaml } from "../config/nest-yaml.ts";
import { type HeartbeatFacts, heartbeatBody } from "./body.ts";
import { HEARTBEAT_PERIOD_MS, HeartbeatLoop } from "./loop.ts";
import { type Outcome, sendHeartbeat } from "./send.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const config = readNestYaml(
  "project: {org: acme, repos: [acme/site]}\nagents: {scanner: {backend: claude}, fixer: {enabled: false}}\ngithub: {token: abc}\n",
  "nest.yaml",
);

const anAgent = {
  name: "scanner",
  backend: "claude",
  enabled: true,
  state: "paused",
  autonomy: "pull_requests",
  held: true,
  pause: { cause: "login", reason: "it needs a login", since: "2026-11-22T00:00:00.000Z" },
  interval_seconds: 600,
  session: "nest-scanner",
  restarts: 1,
  spending: { runs: 0, minutes: 0, tokens: 0, cost_usd: 0, limits: {} },
} as const;
const facts: HeartbeatFacts = {
  nestId: "nest-1",
  version: "0.1.0",
  startedAt: 0,
  now: 0,
  agents: [anAgent, { ...anAgent, name: "fixer", state: "running", pause: undefined }],
  governor: {
    mode: "busy",
    modes: [],
    acmm_level: 2,
    actionable: 12,
    held_back: 3,
    open_pull_requests: 4,
    running: 1,
    spending: { runs: 0, minutes: 0, tokens: 0, cost_usd: 0 },
    repos: [],
  },
  tokens24h: 1234,
  isUnlinked: false,
};

test("a heartbeat fits the protocol and says how the agents do", () => {
  const body = heartbeatBody(config, facts);
  expect(Heartbeat.parse(body)).toEqual(body);
  expect(body).toMatchObject({
    org: "acme",
    agents: [
      { name: "scanner", state: "paused", needs_login: true, paused: { cause: "login" }, interval_seconds: 600 },
      { name: "fixer", state: "running", needs_login: false },
    ],
    governor: { mode: "busy", issues: 12, prs: 4 },
    tokens_24h: 1234,
  });
});

test("a heartbeat never carries the code-host token", () => {
  expect(JSON.stringify(heartbeatBody(config, facts))).not.toContain("abc");
});

test("the secret rides as a bearer token", async () => {
  let seen: string | undefined;
  const base = await hubAnswering(200, (authorization) => {
    seen = authorization;
  });
  expect(await send(base)).toEqual({ kind: "accepted" });
  expect(seen).toBe("Bearer hush-hush");
});

test.each([
  [401, { kind: "rejected", status: 401 }],
  [503, { kind: "rejected", status: 503 }],
] as const)("a hub that answers %i rejects it", async (status, outcome) => {
  expect(await send(await hubAnswering(status))).toEqual(outcome);
});

test("a redirect is not followed", async () => {
  expect(await send(await hubAnswering(307))).toMatchObject({ kind: "unreachable" });
});

test("a 401 is logged in the spec's words", async () => {
  const lines: string[] = [];
  const log = createLog({ program: "nest-spoke", plain: false, to: { write: (line) => lines.push(line) } });
  const clock = new VirtualClock();
  const loop = new HeartbeatLoop({
    clock,
    log,
    periodMs: 1,
    random: seededRandom(1),
    send: async () => ({ kind: "rejected", status: 401 }),
  });
  loop.start();
  await clock.advance(0);
  await loop.stop();
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: "hub heartbeat rejected status=401" });
});

test("a beat goes out at boot and then every two minutes or up to a tenth earlier, never all spokes at once", async () => {
  const clock = new VirtualClock();
  const sentAt: number[] = [];
  const started = clock.now();
  const loop = new HeartbeatLoop({
    clock,
    log: silentLog(),
    periodMs: HEARTBEAT_PERIOD_MS,
    random: seededRandom(1),
    send: async (): Promise<Outcome> => {
      sentAt.push(clock.now() - started);
      return { kind: "accepted" };
    },
  });
  loop.start();
  await clock.advance(0);
  await clock.advance(5 * 60_000);
  await loop.stop();
  expect(sentAt[0]).toBe(0);
  const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
  expect(gaps.length).toBeGreaterThanOrEqual(2);
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(108_000);
  for (const gap of gaps) expect(gap).toBeLessThanOrEqual(120_000);
  expect(new Set(gaps).size).toBe(gaps.length);
});

function send(base: string): Promise<Outcome> {
  const body = heartbeatBody(config, facts);
  return sendHeartbeat({ base, secret: new Secret("hush-hush") }, body, new AbortController().signal);
}

async function hubAnswering(status: number, look?: (authorization: string | undefined) => void): Promise<string> {
  const server = createServer((request, response) => {
    look?.(request.headers.authorization);
    response.writeHead(status, { location: "http://127.0.0.1:9/" }).end("unauthorized");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
