import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLog, Secret, silentLog, VirtualClock } from "@nest/kit";
import { Heartbeat } from "@nest/protocol";
import { afterEach, expect, test } from "vitest";
import { readNestYaml } from "../config/nest-yaml.ts";
import { heartbeatBody } from "./body.ts";
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

test("a heartbeat fits the protocol and says what is configured", () => {
  const body = heartbeatBody(config, { nestId: "nest-1", version: "0.1.0", now: 0 });
  expect(Heartbeat.parse(body)).toEqual(body);
  expect(body).toMatchObject({
    org: "acme",
    agents: [
      { name: "scanner", state: "configured" },
      { name: "fixer", state: "disabled" },
    ],
  });
});

test("a heartbeat never carries the code-host token", () => {
  expect(JSON.stringify(heartbeatBody(config, { nestId: "nest-1", version: "0.1.0", now: 0 }))).not.toContain("abc");
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
  const loop = new HeartbeatLoop({ clock, log, periodMs: 1, send: async () => ({ kind: "rejected", status: 401 }) });
  loop.start();
  await clock.advance(0);
  await loop.stop();
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: "hub heartbeat rejected status=401" });
});

test("a beat goes out at boot and then every two minutes", async () => {
  const clock = new VirtualClock();
  const sentAt: number[] = [];
  const started = clock.now();
  const loop = new HeartbeatLoop({
    clock,
    log: silentLog(),
    periodMs: HEARTBEAT_PERIOD_MS,
    send: async (): Promise<Outcome> => {
      sentAt.push(clock.now() - started);
      return { kind: "accepted" };
    },
  });
  loop.start();
  await clock.advance(0);
  await clock.advance(5 * 60_000);
  await loop.stop();
  expect(sentAt).toEqual([0, 120_000, 240_000]);
});

function send(base: string): Promise<Outcome> {
  const body = heartbeatBody(config, { nestId: "nest-1", version: "0.1.0", now: 0 });
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
