import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, systemRandom } from "@nest/kit";
import type { nestAgents, nestRuns } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../config/settings.ts";
import { type RunningSpoke, startSpoke } from "../start.ts";

let folder = "";
let spoke: RunningSpoke;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-storage-"));
  const seed = {
    project: { org: "acme" },
    agents: { scanner: {} },
    hub: { enabled: false },
    github: { token: "t" },
    dashboard: { hub_proxied: true },
  };
  await writeFile(join(folder, "nest.yaml"), JSON.stringify(seed));
  const settings = readSettings({
    NEST_DATA_DIR: folder,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
    NEST_AGENT_COMMAND: "/no/such/agent",
  });
  const parts = { settings, clock: systemClock(), random: systemRandom(), log: silentLog(), version: "0.1.0" };
  spoke = await startSpoke(parts);
});
afterEach(async () => {
  await spoke.close();
  await rm(folder, { recursive: true, force: true });
});

async function call<Reply>(method: string, path: string, body?: object): Promise<Reply & { status: number }> {
  const response = await fetch(spoke.dashboardUrl + path, {
    method,
    headers: { "x-nest-user": "ada", "x-nest-role": "owner", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as Reply), status: response.status };
}

test("an act that the disk refuses is answered with 503 and the reason, and does not happen", async () => {
  // The superuser may write anywhere: a folder in the audit's place stops everybody.
  const audit = join(folder, "audit.jsonl");
  await mkdir(audit);
  const refused = { status: 503, code: "storage_unavailable", error: expect.stringContaining("EISDIR") };
  const kick = () => call("POST", "/api/agents/scanner/kick", { message: "look" });
  expect(await kick()).toMatchObject(refused);
  expect(await call("POST", "/api/agents/scanner/pause", {})).toMatchObject(refused);
  expect((await call<{ runs: nestRuns.Run[] }>("GET", "/api/runs")).runs).toEqual([]);
  const { agents } = await call<{ agents: nestAgents.NestAgent[] }>("GET", "/api/agents");
  expect(agents.map(({ pause }) => pause)).toEqual([undefined]);
  const deep = await call<{ checks: Record<string, object> }>("GET", "/api/health/deep");
  expect(deep.checks.data_disk).toMatchObject({ status: "critical", detail: expect.stringContaining("EISDIR") });
  await rename(audit, `${audit}.folder`);
  expect((await kick()).status).toBe(200);
});

test("any route that the disk refuses says so, and calls it no internal error", async () => {
  await mkdir(join(folder, "audit.jsonl"));
  expect(await call("GET", "/api/audit")).toMatchObject({ status: 503, code: "storage_unavailable" });
});
