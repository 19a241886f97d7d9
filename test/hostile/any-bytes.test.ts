import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { HubProcess } from "../harness/hub-process.ts";
import { ProcessHere } from "../harness/process-here.ts";
import { anything, CASES, firstFrames, nothingEnds, requests, sendBytes } from "./raw-bytes.ts";

// No byte sequence on any port ends a server. `NEST_FUZZ_CASES=1000000 npm test -- any-bytes` tries more than a test run does.
const WAIT_MS = 60_000 + CASES * 60;
let folder: string;
let hub: HubProcess;
let spoke: ProcessHere;
let ended: string[];
let ports: { hub: number; dashboard: number; terminal: number };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-any-bytes-"));
  hub = await HubProcess.start({
    folder: join(folder, "hub"),
    apiUrl: "http://127.0.0.1:9",
    repos: ["acme/one"],
    token: "t",
  });
  await writeFile(
    join(folder, "nest.yaml"),
    "project: {org: acme, repos: [one]}\ngithub: {token: t}\nhub: {enabled: false}\n",
  );
  spoke = new ProcessHere("nest", ["spoke"], {
    NEST_DATA_DIR: folder,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const [, dashboard = ""] = await spoke.says(/^nest-spoke listening on (\S+)$/m);
  const terminal = await vi.waitUntil(() => /"terminal":"([^"]+)"/.exec(spoke.said)?.[1], 20_000);
  ports = { hub: portOf(hub.url), dashboard: portOf(dashboard), terminal: portOf(terminal) };
  ended = [];
  void hub.process.ended.then(() => ended.push("hub"));
  void spoke.ended.then(() => ended.push("spoke"));
});

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await spoke[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const port = (name: "hub" | "dashboard" | "terminal") => ({ isAlive: () => ended.length === 0, port: ports[name] });

describe("no byte sequence ends a server", () => {
  test.each(["GET // HTTP/1.1", "GET http://[::1/x HTTP/1.1", "GET http:// HTTP/1.1"])(
    "the request %s for a WebSocket",
    async (line) => {
      const head = `${line}\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
      const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
      for (const to of Object.values(ports)) await sendBytes(to, Buffer.from(head + key));
      expect(ended).toEqual([]);
    },
  );

  test("requests and upgrades to the hub", () => nothingEnds(port("hub"), requests), WAIT_MS);
  test("first frames to the hub", () => nothingEnds(port("hub"), firstFrames), WAIT_MS);
  test("anything to the hub", () => nothingEnds(port("hub"), anything, 0.3), WAIT_MS);
  test("requests and upgrades to a spoke's dashboard", () => nothingEnds(port("dashboard"), requests), WAIT_MS);
  test("anything to a spoke's dashboard", () => nothingEnds(port("dashboard"), anything, 0.3), WAIT_MS);
  test("requests and upgrades to a spoke's terminal", () => nothingEnds(port("terminal"), requests, 0.3), WAIT_MS);

  test("both answer as before, and neither was surprised", async () => {
    for (const to of [ports.hub, ports.dashboard]) {
      const answer = await fetch(`http://127.0.0.1:${to}/api/health`);
      expect(answer.status).toBe(200);
    }
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    const malformed = Number(/^nest_frames_malformed (\d+)$/m.exec(metrics)?.[1]);
    expect(malformed).toBeGreaterThan(CASES / 10);
    expect(hub.process.said).not.toMatch(/request failed|uncaught|"level":(50|60)/i);
    expect(spoke.said).not.toMatch(/request failed|uncaught|"level":(50|60)/i);
  });
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}
