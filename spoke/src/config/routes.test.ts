import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, systemRandom } from "@nest/kit";
import type { nestConfig } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningSpoke, startSpoke } from "../start.ts";
import { readSettings } from "./settings.ts";

const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };
const SEED = `project: {org: acme, repos: [one]}
github: {token: hush-hush-token}
hub: {enabled: false}
dashboard: {hub_proxied: true, hosts: [nest.example]}
agents: {scanner: {backend: claude, enabled: false}}
weather: fine
`;

const ref = (variable: string) => `\${${variable}}`;

let folder = "";
let data = "";
let spoke: RunningSpoke;
let environment: Record<string, string> = {};
let restarts = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-config-"));
  data = join(folder, "data");
  environment = {};
  restarts = 0;
  await mkdir(data);
  await writeFile(join(folder, "nest.yaml"), SEED);
});
afterEach(async () => {
  await spoke.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  const settings = readSettings({
    NEST_DATA_DIR: data,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_TERMINAL_PORT: "0",
    NEST_SPOKE_DASHBOARD_PORT: "0",
    PATH: process.env.PATH,
    ...environment,
  });
  const restart = () => (restarts += 1);
  const deps = { clock: systemClock(), random: systemRandom(), log: silentLog(), version: "0.1.0", restart };
  spoke = await startSpoke({ ...deps, settings });
}

async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply & { status: number }> {
  const response = await fetch(spoke.dashboardUrl + path, {
    method,
    headers: { ...OWNER, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as Reply), status: response.status };
}

type Problem = { error: string; code: string };
type Saved = nestConfig.ConfigView & Problem & { changed: string[] };
const save = (body: unknown, query = "") => call<Saved>("PUT", `/api/config${query}`, body);
const read = () => call<nestConfig.ConfigView>("GET", "/api/config");
const row = async (key: string) =>
  (await call<nestConfig.Provenance>("GET", "/api/config/provenance")).rows.find((one) => one.key === key);
const overlay = () => readFile(join(data, "nest.yaml.dashboard"), "utf8");
const audit = async () =>
  (await readFile(join(data, "audit.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the configuration is read without its secrets, with what holds where nothing is said", async () => {
  await start();
  const { config, restart_needed } = await read();
  expect(config).toMatchObject({
    project: { org: "acme" },
    github: { token: "[secret]" },
    acmm_level: 2,
    weather: "fine",
  });
  expect(restart_needed).toEqual([]);
  expect(JSON.stringify(config)).not.toContain("hush");
});

test("a save writes the overlay, keeps its comments, is in force at once and audited with old and new values", async () => {
  await writeFile(join(data, "nest.yaml.dashboard"), "# chosen by ada\nacmm_level: 3 # for now\n");
  await start();
  const saved = await save({
    acmm_level: 1,
    governor: { eval_interval_s: 60 },
    github: { token: "ghp_0123456789abcdef01" },
  });
  expect([saved.status, saved.changed.sort()]).toEqual([
    200,
    ["acmm_level", "github.token", "governor.eval_interval_s"],
  ]);
  expect(await overlay()).toMatch(/^# chosen by ada\nacmm_level: 1 # for now\n/);
  expect((await call<{ governor: { acmm_level: number } }>("GET", "/api/status")).governor.acmm_level).toBe(1);
  expect((await audit()).at(-1)).toMatchObject({
    actor: "ada",
    action: "configuration saved",
    before: { acmm_level: 3, "governor.eval_interval_s": 300, "github.token": "[secret]" },
    after: { acmm_level: 1, "governor.eval_interval_s": 60, "github.token": "[secret]" },
  });
  expect(JSON.stringify(await audit())).not.toContain("ghp_");
});

test("null takes a key back to what the seed says", async () => {
  await start();
  await save({ agents: { scanner: { backend: "codex" } }, acmm_level: 4 });
  const { changed, config } = await save({ agents: { scanner: { backend: null } }, acmm_level: null });
  expect(changed.sort()).toEqual(["acmm_level", "agents.scanner.backend"]);
  expect(config).toMatchObject({ acmm_level: 2, agents: { scanner: { backend: "claude" } } });
  expect((await overlay()).trim()).toBe("{}");
});

test("a save that names an older state is refused with 409, and changes nothing", async () => {
  await start();
  const { revision } = await read();
  expect((await save({ acmm_level: 3 }, `?revision=${revision}`)).status).toBe(200);
  const second = await save({ acmm_level: 4 }, `?revision=${revision}`);
  expect([second.status, second.code]).toEqual([409, "nest_configuration_changed"]);
  expect((await read()).config.acmm_level).toBe(3);
});

test("unknown keys are refused with 400 and named, and nothing of the save is done", async () => {
  await start();
  const refused = await save({ acmm_level: 4, governor: { speed: 3 }, colour: "red" });
  expect([refused.status, refused.code]).toEqual([400, "bad_request"]);
  expect(refused.error).toContain("governor.speed");
  expect(refused.error).toContain("colour");
  expect((await read()).config.acmm_level).toBe(2);
});

test.each<[unknown, string]>([
  [{ acmm_level: 9 }, "acmm_level: "],
  [{ project: { repos: 4 } }, "project.repos: "],
  [{ dashboard: { authorized_users: ["ada:root"] } }, "dashboard.authorized_users.0: must be a login, or login:role"],
  [{ dashboard: { authorized_users: [{ ada: "owner" }] } }, "without a space after the colon"],
  [{ dashboard: { trusted_proxies: ["somewhere"] } }, "dashboard.trusted_proxies.0: must be an address"],
  [
    { governor: { modes: { busy: { threshold: 10, scanner: "often" } } } },
    "governor.modes.busy.scanner: must be a time",
  ],
  [{ agents: { "../x": {} } }, "an agent's name has letters"],
  [{ github: { token: "" } }, "github.token or github.app_id is required"],
  [
    { github: { token: ref("NOT_SET_ANYWHERE") } },
    "github.token: names the variable NOT_SET_ANYWHERE, which is not set",
  ],
  [{ github: { token: `a${ref("HOME")}` } }, "github.token: must be the secret itself"],
  [{ hub: { enabled: true, url: "ftp://x" } }, "hub.url: expected an address"],
  [{ hub: { nest_type: "[secret]" } }, "hub.nest_type: [secret] stands for a secret that is kept"],
])("nothing that would refuse to boot can be saved: %j", async (body, because) => {
  await start();
  const refused = await save(body);
  expect([refused.status, refused.code]).toEqual([400, "bad_request"]);
  expect(refused.error).toContain(because);
  expect((await read()).config).toMatchObject({ acmm_level: 2 });
  await expect(overlay()).rejects.toThrow("ENOENT");
});

test("a dashboard port that another program listens on cannot be saved", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  await writeFile(join(folder, "nest.yaml"), SEED.replace("hub_proxied", "port: 0, hub_proxied"));
  environment = { NEST_SPOKE_DASHBOARD_PORT: "" };
  await start();
  expect((await save({ dashboard: { port } })).error).toContain("the nest cannot listen on");
  other.close();
});

test("a secret that is sent back as it was shown is left as it is", async () => {
  await start();
  const { config } = await read();
  delete config.weather;
  const { status, changed } = await save({ ...config, acmm_level: 3 });
  expect([status, changed]).toEqual([200, ["acmm_level"]]);
  expect(await readFile(join(data, "nest.yaml.runtime"), "utf8")).toContain("hush-hush-token");
});

test("a secret can be the name of a variable, which is shown as it is", async () => {
  environment = { OUR_TOKEN: "ghp_0123456789abcdef01" };
  await start();
  await save({ github: { token: ref("OUR_TOKEN") } });
  expect((await read()).config).toMatchObject({ github: { token: ref("OUR_TOKEN") } });
});

test("the provenance says which layer gave a value, who saved it and when, and what loses against it", async () => {
  environment = { NEST_HUB_URL: "http://hub.test" };
  await start();
  await save({ acmm_level: 4, agents: { scanner: { backend: "codex" } } });
  expect(await row("agents.scanner.backend")).toEqual({
    key: "agents.scanner.backend",
    value: "codex",
    layer: "dashboard",
    source: join(data, "nest.yaml.dashboard"),
    by: "ada",
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    hidden: [{ layer: "seed", value: "claude" }],
  });
  expect(await row("project.org")).toMatchObject({ layer: "seed", source: join(folder, "nest.yaml"), hidden: [] });
  expect(await row("acmm_level")).toMatchObject({ hidden: [{ layer: "default", value: 2 }] });
  expect(await row("hub.url")).toMatchObject({
    layer: "environment",
    source: "NEST_HUB_URL",
    value: "http://hub.test",
  });
  expect(await row("dashboard.port")).toMatchObject({ layer: "environment" });
  expect(await row("github.token")).toMatchObject({ value: "[secret]", layer: "seed" });
  expect(await row("weather")).toMatchObject({ value: "fine", unknown: true });
});

test("a hand edit of the overlay is nobody's save", async () => {
  await start();
  await save({ acmm_level: 4 });
  await writeFile(join(data, "nest.yaml.dashboard"), "acmm_level: 5\n");
  const edited = await row("acmm_level");
  expect(edited).toMatchObject({ value: 5, layer: "dashboard" });
  expect(edited?.by).toBeUndefined();
});

test("what takes effect at a restart only is listed, with what the nest works with until then", async () => {
  await start();
  const { restart_needed } = await save({ dashboard: { hosts: ["other.example"] }, acmm_level: 3 });
  expect(restart_needed).toEqual(["dashboard.hosts"]);
  expect(await row("dashboard.hosts")).toMatchObject({ value: ["other.example"], running: ["nest.example"] });
  expect((await row("acmm_level"))?.running).toBeUndefined();
  expect((await save({ dashboard: { hosts: null } })).restart_needed).toEqual([]);
});

test("grants need no restart", async () => {
  await start();
  const saved = await save({ dashboard: { authorized_users: ["ada:owner", "rob:read"] } });
  expect([saved.changed, saved.restart_needed]).toEqual([["dashboard.authorized_users"], []]);
});

test("a restart is asked for once the answer is out, is audited, and refused where the nest could not start again", async () => {
  await start();
  expect(await call("POST", "/api/restart")).toMatchObject({ ok: true });
  await expect.poll(() => restarts).toBe(1);
  expect((await audit()).at(-1)).toMatchObject({ actor: "ada", action: "nest restarted" });
  await writeFile(join(folder, "nest.yaml"), "acmm_level: [");
  expect(await call<Problem>("POST", "/api/restart")).toMatchObject({ status: 409, code: "nest_cannot_restart" });
  expect(restarts).toBe(1);
});

test("overlay and key are in NEST_DATA_DIR, wherever the files of a backup come from", async () => {
  environment = { NEST_SPOKE_BACKUP_DATA_DIR: join(folder, "mounted") };
  await mkdir(join(folder, "mounted"));
  await start();
  const key = "ab".repeat(32);
  expect((await call("PUT", "/api/config/governor/backup", { encryptionKey: key, keyName: "spring" })).status).toBe(
    200,
  );
  expect(await readFile(join(data, "secrets", "backup_encryption_key"), "utf8")).toBe(`${key}\n`);
  expect((await read()).config).toMatchObject({ governor: { backup: { key_name: "spring" } } });
  expect(await call("GET", "/api/backup/status")).toMatchObject({ available: true });
});

test.each(["read", "read-write", "merger"])("%s neither reads nor saves the configuration", async (role) => {
  await start();
  for (const [method, path] of [
    ["GET", "/api/config"],
    ["PUT", "/api/config"],
    ["GET", "/api/config/provenance"],
    ["POST", "/api/restart"],
  ] as const) {
    const response = await fetch(spoke.dashboardUrl + path, { method, headers: { ...OWNER, "x-nest-role": role } });
    expect([path, response.status]).toEqual([path, 403]);
  }
  expect(restarts).toBe(0);
});

test("an agent that the seed names is removed by the dashboard, and brought back", async () => {
  await start();
  const names = async () =>
    (await call<{ agents: { name: string }[] }>("GET", "/api/agents")).agents.map(({ name }) => name);
  expect(await names()).toEqual(["scanner"]);
  const { changed } = await save({ agents: { scanner: false } });
  expect(changed).toContain("agents.scanner");
  expect([await names(), (await read()).config.agents]).toEqual([[], { scanner: false }]);
  expect(await overlay()).toBe("{ agents: { scanner: false } }\n");
  await save({ agents: { scanner: null } });
  expect([await names(), await overlay()]).toEqual([["scanner"], "{}\n"]);
});

test("an agent, a mode and a channel that were added in the dashboard leave nothing behind when they are removed", async () => {
  await start();
  const phone = { kind: "ntfy", url: "https://ntfy.example/topic", events: [] };
  await save({
    agents: { builder: { backend: "claude", enabled: false } },
    governor: { modes: { busy: { threshold: 5 } } },
    notifications: { channels: { phone } },
  });
  const gone = { agents: { builder: false }, governor: { modes: { busy: false } } };
  await save({ ...gone, notifications: { channels: { phone: false, never: false } } });
  expect(await overlay()).toBe("{}\n");
});

test("only agents, modes and channels are removed so", async () => {
  await start();
  expect(await save({ governor: false })).toMatchObject({ status: 400 });
  expect(await save({ agents: { scanner: { budget: false } } })).toMatchObject({ status: 400 });
});

test("a configuration file that somebody breaks while the nest runs is told as what keeps the next start away", async () => {
  await start();
  await writeFile(join(folder, "nest.yaml"), "acmm_level: much\n");
  const { rejected } = await call<nestConfig.Provenance>("GET", "/api/config/provenance");
  expect(rejected.map(({ reason }) => reason).join()).toContain("no nest could start with it: acmm_level");
  const health = await call<{ checks: Record<string, { status: string; detail: string }> }>("GET", "/api/health/deep");
  expect(health.checks.configuration).toMatchObject({
    status: "degraded",
    detail: expect.stringContaining("acmm_level"),
  });
});

test.each(["acmm_level: [", "acmm_level: much\n"])(
  "with an overlay broken by hand, %j, the configuration shown is the one in force, and a save does not end in an internal error",
  async (text) => {
    await start();
    await save({ acmm_level: 4 });
    await writeFile(join(data, "nest.yaml.dashboard"), text);
    expect((await read()).config).toMatchObject({ acmm_level: 4 });
    const { rejected } = await call<nestConfig.Provenance>("GET", "/api/config/provenance");
    expect(rejected.map(({ reason }) => reason).join()).toContain("the last good one is in force");
    const { status, code } = await save({ governor: { eval_interval_s: 60 } });
    expect([400, 409], code).toContain(status);
    expect(await overlay()).toBe(text);
  },
);

test("a save that names a backend or an agent that there is not is taken, with a warning for each", async () => {
  await start();
  expect((await read()).warnings).toEqual([]);
  const saved = await save({
    agents: { scanner: { backend: "nosuchcli" } },
    governor: { modes: { busy: { threshold: 2, scanner: "10m", nobody: "4h" } } },
  });
  expect([saved.status, saved.warnings]).toEqual([
    200,
    [
      "agents.scanner.backend: there is no backend called nosuchcli",
      "governor.modes.busy.nobody: there is no agent called nobody",
    ],
  ]);
});

test("an owner does not take the role from themselves: another owner does", async () => {
  await start();
  await save({ dashboard: { authorized_users: ["ada:owner", "rob:owner"] } });
  const refused = await save({ dashboard: { authorized_users: ["rob:owner", "ada:read"] } });
  expect([refused.status, refused.error]).toEqual([409, "this would take the role owner from ada, who is saving it"]);
  const { status } = await call("PUT", "/api/config/authorized-users", { users: ["rob:owner"] });
  expect(status).toBe(409);
  expect((await save({ dashboard: { authorized_users: ["ada:owner"] } })).status).toBe(200);
});

test("Read now says which repositories could not be read, and why", async () => {
  environment = { NEST_GITHUB_API_URL: "http://127.0.0.1:1" };
  await start();
  const read = await call<{ unread: { repo: string; error: string }[] }>("POST", "/api/governor/evaluate");
  expect([read.status, read.unread]).toEqual([200, [{ repo: "acme/one", error: expect.any(String) }]]);
});
