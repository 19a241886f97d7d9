import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, systemRandom } from "@nest/kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSettings } from "./config/settings.ts";
import { type RunningSpoke, startSpoke } from "./start.ts";

let folder = "";
let spoke: RunningSpoke;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-spoke-"));
  await writeFile(join(folder, "nest.yaml"), "project: {org: acme, repos: [acme/site]}\ngithub: {token: hush-hush}\n");
  const settings = readSettings({
    NEST_DATA_DIR: join(folder, "data"),
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const parts = { settings, clock: systemClock(), random: systemRandom(), log: silentLog(), version: "0.1.0" };
  spoke = await startSpoke(parts);
});
afterAll(async () => {
  await spoke.close();
  await rm(folder, { recursive: true });
});

test.each([
  ["/", "text/html", "acme/site"],
  ["/api/health", "application/json", '{"status":"ok"}'],
  ["/api/livez", "application/json", '{"status":"ok"}'],
  ["/metrics", "text/plain", "nest_spoke_heartbeats"],
  ["/api/openapi.json", "application/json", "/api/livez"],
  ["/assets/theme.css", "text/css", "light-dark("],
  ["/assets/spoke.css", "text/css", "main {"],
])("the dashboard port serves %s", async (path, type, words) => {
  const response = await fetch(spoke.dashboardUrl + path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toContain(type);
  expect(await response.text()).toContain(words);
});

test("the page runs under a strict policy", async () => {
  const response = await fetch(spoke.dashboardUrl);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("the terminal port says for whom terminals are", async () => {
  expect(await (await fetch(spoke.terminalUrl)).text()).toContain("people with the role read-write or more");
});

test("an unknown address is a JSON 404", async () => {
  const response = await fetch(`${spoke.dashboardUrl}/nowhere`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "not_found" });
});

test("a known address with the wrong method is a JSON 405 that says what is allowed", async () => {
  const response = await fetch(`${spoke.dashboardUrl}/api/health`, { method: "DELETE" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET, HEAD");
  expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
});

test("an address that cannot be decoded is a JSON 400", async () => {
  const response = await fetch(`${spoke.dashboardUrl}/%zz`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "bad_request" });
});

test("bytes that are no request get a JSON 400", async () => {
  const socket = connect(Number(new URL(spoke.dashboardUrl).port), "127.0.0.1");
  socket.write("hello there\r\n\r\n");
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  expect(answer).toContain("HTTP/1.1 400");
  expect(answer).toContain('"code":"bad_request"');
});
