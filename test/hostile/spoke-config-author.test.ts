import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import type { nestConfig } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere, type StartAs } from "../harness/process-here.ts";

// Whoever writes a nest's configuration by mistake or on purpose so that it breaks: the seed, the overlay in the data folder, the
// settings page. A nest starts with what is good or says in one line what is not, and never says a secret.
const SEED = {
  project: { org: "acme", repos: ["one"] },
  github: { token: "ghp_SECRETsecretSECRET01" },
  hub: { enabled: false },
  dashboard: { hub_proxied: true, authorized_users: ["ada:owner"] },
  agents: { scanner: { enabled: false } },
};
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner", "content-type": "application/json" };

let folder: FolderHere;
let nest: ProcessHere | undefined;
let url = "";
beforeEach(async () => {
  folder = await FolderHere.make("config-author");
  await mkdir(folder.in("data"), { recursive: true });
  await writeFile(folder.in("nest.yaml"), JSON.stringify(SEED));
});
afterEach(async () => {
  await nest?.[Symbol.asyncDispose]();
  nest = undefined;
  await folder[Symbol.asyncDispose]();
});

function spawn(config = folder.in("nest.yaml"), as: StartAs = {}): ProcessHere {
  const environment = { NEST_DATA_DIR: folder.in("data"), NEST_CONFIG: config, HOME: folder.path };
  nest = new ProcessHere(
    "nest",
    ["spoke"],
    { ...environment, NEST_SPOKE_DASHBOARD_PORT: "0", NEST_SPOKE_TERMINAL_PORT: "0" },
    as,
  );
  return nest;
}

async function start(...how: Parameters<typeof spawn>): Promise<ProcessHere> {
  const started = spawn(...how);
  [, url = ""] = await started.says(/^nest-spoke listening on (\S+)$/m);
  return started;
}

async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply & { status: number }> {
  const text = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(url + path, { method, headers: OWNER, ...text });
  return { ...((await response.json()) as Reply), status: response.status };
}
type Answer = nestConfig.ConfigView & { error: string; code: string; ok?: true };
const save = (body: unknown, query = "") => call<Answer>("PUT", `/api/config${query}`, body);
const read = () => call<Answer>("GET", "/api/config");

describe("a seed that no nest can start with", () => {
  test.each<[string, string, RegExp[]]>([
    [
      "of 10 MB",
      `a: "${"x".repeat(10 * 1024 * 1024)}"\n`,
      [/nest\.yaml: too large for a configuration: the limit is 1048576 bytes$/],
    ],
    ["with aliases that multiply", bomb(), [/not valid YAML: an alias/]],
    ["that is nested without end", "[".repeat(5000), [/not valid YAML/]],
    ["with a tab", "github:\n\ttoken: ghp_SECRETsecretSECRET01\n", [/not valid YAML at line 2/]],
    ["that is a list", "- ghp_SECRETsecretSECRET01\n", [/must be a map of keys/]],
    [
      "with wrong types",
      "github: {token: [ghp_SECRETsecretSECRET01]}\nacmm_level: ghp_SECRETsecretSECRET01\ndashboard: {authorized_users: [ada: owner]}\n",
      [/: github\.token: /, /: dashboard\.authorized_users\.0: .*without a space/, /: acmm_level: /],
    ],
  ])("%s is refused with exit 2, one line per fault, and no secret", async (_what, text, lines) => {
    await writeFile(folder.in("nest.yaml"), text);
    const refused = spawn();
    expect(await refused.ended).toMatchObject({ code: 2 });
    const errors = refused.said.split("\n").filter((line) => line.startsWith("nest spoke: error: "));
    expect(errors).toHaveLength(lines.length);
    for (const [at, line] of lines.entries()) expect(errors[at]).toMatch(line);
    expect(refused.said).not.toContain("SECRET");
  });
});

describe("an overlay that somebody else left in the data folder", () => {
  test("of another project lets nobody in, and the log, the page and the provenance say so", async () => {
    const other = "project: {org: globex}\ndashboard: {authorized_users: ['mallory:owner']}\n";
    await writeFile(folder.in("data", "nest.yaml.dashboard"), other);
    const started = await start();
    const { rejected, rows } = await call<nestConfig.Provenance>("GET", "/api/config/provenance");
    expect(rejected).toEqual([
      {
        file: folder.in("data", "nest.yaml.dashboard.rejected"),
        reason: expect.stringContaining("it is of the project globex, and this nest is of acme; none is used"),
      },
    ]);
    expect(rows.find(({ key }) => key === "dashboard.authorized_users")?.value).toEqual(["ada:owner"]);
    expect(started.said).toContain("configuration not used");
    const page = await (await fetch(`${url}/`, { headers: OWNER })).text();
    expect(page).toContain("Configuration that is not used");
  });

  test("that a kill in the middle of saves left is whole: what was answered is there", async () => {
    const killed = await start();
    let answered = 0;
    const saves = (async () => {
      for (let level = 1; ; level = (level % 6) + 1) {
        await save({ acmm_level: level });
        answered = level;
      }
    })().catch(() => undefined);
    await expect.poll(() => answered).toBeGreaterThan(2);
    killed.signal("SIGKILL");
    await Promise.all([killed.ended, saves]);
    await start();
    const next = (answered % 6) + 1;
    expect([answered, next]).toContain((await read()).config.acmm_level);
  });
});

describe("the settings page", () => {
  test("of two browsers that save one page, one is told that the other was first", async () => {
    await start();
    const { revision } = await read();
    const answers = await Promise.all(
      [3, 4, 5, 6].map((level) => save({ acmm_level: level }, `?revision=${revision}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const [first] = answers.filter(({ status }) => status === 200);
    expect((await read()).config).toEqual(first?.config);
  });

  test("cannot leave the nest without an owner, nor with its own proxy shut out by a typing error", async () => {
    await start();
    const refused = await save({ dashboard: { authorized_users: ["mallory:read"] } });
    expect([refused.status, refused.code]).toEqual([409, "last_owner"]);
    expect((await save({ dashboard: { trusted_proxies: ["10.0.0.0/99"] } })).status).toBe(400);
    expect((await read()).config.dashboard).toEqual({ ...SEED.dashboard, port: 3002 });
  });

  test.each<[string, string]>([
    ["deeper than anything", `{"governor":{"contribute":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`],
    ["with a prototype", '{"agents":{"__proto__":{"enabled":true}}}'],
    ["with a name that leads elsewhere", '{"agents":{"../../etc":{"enabled":true}}}'],
    ["that is no object", "[1]"],
  ])("refuses a body %s", async (_what, body) => {
    await start();
    expect([(await save(body)).status, (await read()).status]).toEqual([400, 200]);
  });

  test("shows no secret, wherever somebody wrote one, nor does the audit", async () => {
    const misplaced = {
      notes: "use ghp_SECRETsecretSECRET01",
      mirror: { apiKey: "SECRET", url: "https://bot:SECRET@git.example" },
      credentials: { tokens: { first: "SECRET" } },
      pem: "-----BEGIN RSA PRIVATE KEY-----\nSECRET",
    };
    await writeFile(folder.in("nest.yaml"), JSON.stringify({ ...SEED, ...misplaced }));
    const started = await start();
    await save({ github: { token: "ghp_SECRETsecretSECRET02" }, acmm_level: 3 });
    const seen = [await read(), await call("GET", "/api/config/provenance")].map((answer) => JSON.stringify(answer));
    seen.push(await readFile(folder.in("data", "audit.jsonl"), "utf8"), started.said, started.output);
    for (const text of seen) expect(text).not.toContain("SECRET");
    expect(seen.join()).toContain("configuration saved");
  });
});

test.skipIf(process.getuid?.() !== 0)(
  "a save with a read-only /etc/nest fails, and the overlay's own routes work",
  async () => {
    const place = folder.in("etc");
    await mkdir(place);
    const mounted = `mount -t tmpfs none ${place} && cp ${folder.in("nest.yaml")} ${place} && mount -o remount,ro ${place} && exec "$@"`;
    await start(join(place, "nest.yaml"), { within: ["unshare", "-m", "sh", "-c", mounted, "sh"] });
    const refused = await save({ acmm_level: 3 });
    expect([refused.status, refused.code]).toEqual([409, "configuration_read_only"]);
    expect(refused.error).toBe(`the configuration cannot be saved: ${place}: read-only file system`);
    expect((await read()).read_only).toBe(`${place}: read-only file system`);
    expect((await call("PUT", "/api/agents/scanner", { model: "opus" })).status).toBe(200);
    expect((await read()).config.agents).toEqual({ scanner: { enabled: false, model: "opus" } });
  },
);

describe("a restart", () => {
  test("starts the nest anew in its program: same address, and what was saved is in force", async () => {
    const started = await start();
    const before = started.pid;
    await save({ dashboard: { hosts: ["nest.example"] } });
    expect((await read()).restart_needed).toEqual(["dashboard.hosts"]);
    expect(await asked("nest.example")).toBe(421);
    const stream = await fetch(`${url}/api/events`, { headers: OWNER });
    const answers = await Promise.all(
      [1, 2, 3].map(() => call<Answer>("POST", "/api/restart").catch(() => ({ ok: undefined }))),
    );
    expect(answers.some(({ ok }) => ok)).toBe(true);
    await stream.text().catch(() => undefined);
    await expect
      .poll(() =>
        read().then(
          ({ restart_needed }) => restart_needed,
          () => undefined,
        ),
      )
      .toEqual([]);
    expect([await asked("nest.example"), started.pid]).toEqual([200, before]);
    expect(started.output.match(/listening on/g)).toHaveLength(1);
    started.signal("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });
  });

  test("is refused while the files would keep the nest from starting again", async () => {
    await start();
    await writeFile(folder.in("nest.yaml"), "acmm_level: 2\n");
    const refused = await call<Answer>("POST", "/api/restart");
    expect([refused.status, refused.code]).toEqual([409, "nest_cannot_restart"]);
    expect(refused.error).toContain("github.token or github.app_id is required");
    expect((await read()).status).toBe(200);
    await rm(folder.in("nest.yaml"));
    expect((await call<Answer>("POST", "/api/restart")).error).toContain("there is no such file");
  });
});

/** The status of an answer to somebody who asks for the nest by this name. */
function asked(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/health`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once("error", reject);
  });
}

function bomb(): string {
  const line = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(", ")}]\n`;
  return [..."bcdefghi"].reduce((text, name, at) => text + line(name, `*${"abcdefgh"[at]}`), line("a", "x"));
}
