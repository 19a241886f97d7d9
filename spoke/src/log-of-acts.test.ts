import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, systemClock, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./config/settings.ts";
import { type RunningSpoke, startSpoke } from "./start.ts";

let folder = "";
let lines: string[] = [];
let spoke: RunningSpoke;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-log-"));
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
  lines = [];
  const to = { write: (line: string) => void lines.push(line) };
  const log = createLog({ program: "nest", plain: false, to });
  const parts = { settings, clock: systemClock(), random: systemRandom(), log, version: "0.1.0" };
  spoke = await startSpoke(parts);
});
afterEach(async () => {
  await spoke.close();
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body: object): Promise<void> {
  const headers = { "x-nest-user": "ada", "x-nest-role": "owner", "content-type": "application/json" };
  const response = await fetch(spoke.dashboardUrl + path, { method, headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

test("the log has a line for each run, kick, pause and save, and none of what people said", async () => {
  await call("POST", "/api/agents/scanner/kick", { message: "the-words-of-a-person" });
  await call("POST", "/api/agents/scanner/pause", { reason: "the-reason-of-a-person" });
  await call("PUT", "/api/config", { acmm_level: 3 });
  const said = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const wanted = ["agent kicked", "run began", "run could not start", "agent paused", "configuration saved"];
  await expect.poll(said).toEqual(expect.arrayContaining(wanted));
  const saved = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "configuration saved");
  expect(saved).toMatchObject({ actor: "ada", keys: ["acmm_level"] });
  expect(lines.join("")).not.toMatch(/of-a-person/);
});
