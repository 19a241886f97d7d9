import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extractArchive, parseKey } from "@nest/archive";
import { createLog, systemClock, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../config/settings.ts";
import { type RunningSpoke, startSpoke } from "../start.ts";

const KEY = "ab".repeat(32);
const OTHER = "cd".repeat(32);
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

let folder = "";
let data = "";
let spoke: RunningSpoke;
let lines: string[] = [];
let environment: Record<string, string> = {};

async function boot(yaml = "dashboard: {hub_proxied: true}"): Promise<void> {
  await writeFile(join(folder, "nest.yaml"), `project: {org: acme}\ngithub: {token: hush-hush}\n${yaml}\n`);
  const settings = readSettings({
    NEST_DATA_DIR: data,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
    NEST_SECRETS_DIR: join(folder, "mount"),
    ...environment,
  });
  const log = createLog({ program: "test", to: { write: (line) => void lines.push(line) } });
  spoke = await startSpoke({ settings, clock: systemClock(), random: systemRandom(), log, version: "0.1.0" });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-spoke-backup-"));
  data = join(folder, "data");
  await mkdir(join(data, "beads", "scanner", "old"), { recursive: true });
  await mkdir(join(data, "logs"));
  await writeFile(join(data, "beads", "scanner", "beads.json"), "[]");
  await writeFile(join(data, "beads", "scanner", "old", "archive.jsonl"), "{}\n");
  await writeFile(join(data, "nest-state.json"), '{"a":1}');
  await writeFile(join(data, "app-key.pem"), "PRIVATE", { mode: 0o600 });
  await writeFile(join(data, "nest.yaml.runtime"), "acmm_level: 2\n");
  await writeFile(join(data, "nest.yaml.bak"), "legacy\n");
  await writeFile(join(data, "dashboard-sessions.json"), "live sessions");
  await writeFile(join(data, "logs", "big.log"), "log");
  environment = {};
  lines = [];
});
afterEach(async () => {
  await spoke?.close();
  await rm(folder, { recursive: true, force: true });
});

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = OWNER) {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return fetch(spoke.dashboardUrl + path, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function download(): Promise<{ response: Response; file: string }> {
  const response = await call("POST", "/api/backup");
  const file = join(folder, "archive.enc");
  await writeFile(file, Buffer.from(await response.arrayBuffer()));
  return { response, file };
}

async function opened(
  file: string,
  key: string,
): Promise<{
  files: string[];
  destination: string;
  manifest: { files: unknown[]; skipped: object; kind: string; spoke_ids: string[] };
}> {
  const destination = join(folder, `out-${Math.random()}`);
  await extractArchive({
    sealed: createReadStream(file),
    destination,
    keys: [parseKey(key, "test")],
    random: "test",
    force: false,
  });
  const all = await readdir(destination, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(destination.length + 1));
  return {
    files: files.sort(),
    destination,
    manifest: JSON.parse(await readFile(join(destination, "MANIFEST.json"), "utf8")),
  };
}

test("without a key from any source: available false, POST 412, and nothing is written", async () => {
  await boot();
  expect(await (await call("GET", "/api/backup/status")).json()).toMatchObject({
    available: false,
    configPath: "governor:Security",
  });
  const refused = await call("POST", "/api/backup");
  expect(refused.status).toBe(412);
  expect(refused.headers.get("content-disposition")).toBeNull();
  expect(await refused.json()).toMatchObject({ code: "backup_key_missing", hint: expect.any(String) });
});

test("a key is saved with mode 0600, its path and label go into the configuration, its value nowhere else", async () => {
  await boot();
  const put = await call("PUT", "/api/config/governor/backup", { encryptionKey: ` ${KEY}\n`, keyName: "spring" });
  const file = join(data, "secrets", "backup_encryption_key");
  expect(await put.json()).toEqual({
    ok: true,
    status: "updated",
    configured: true,
    usable: true,
    source: `file:${file}`,
    keyName: "spring",
    algorithm: "aes-256-gcm",
    reason: "",
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(data, "secrets"))).mode & 0o777).toBe(0o700);
  expect(await readFile(join(data, "nest.yaml.dashboard"), "utf8")).toContain("key_name: spring");
  const said = await (await call("GET", "/api/config/governor/backup")).text();
  const { file: archive } = await download();
  await spoke.close();
  const everything = [
    said,
    lines.join(),
    await readFile(join(data, "nest.yaml.dashboard"), "utf8"),
    await readFile(join(data, "audit.jsonl"), "utf8"),
    (await readFile(archive)).toString("latin1"),
  ];
  expect(everything.join()).not.toContain(KEY);
});

test("the archive holds configuration, identity, state, app keys and the work ledger, and skips bulk data and live sessions", async () => {
  environment = { NEST_BACKUP_KEY: KEY };
  await boot();
  const { response, file } = await download();
  expect(response.status).toBe(200);
  const { files, manifest } = await opened(file, KEY);
  expect(files).toEqual([
    "MANIFEST.json",
    "beads/scanner/beads.json",
    "beads/scanner/old/archive.jsonl",
    "spoke/app-key.pem",
    "spoke/nest-id",
    "spoke/nest-state.json",
    "spoke/nest.yaml.runtime",
  ]);
  const id = (await readFile(join(data, "nest-id"), "utf8")).trim();
  expect(manifest).toMatchObject({ kind: "spoke", spoke_ids: [id], skipped: {} });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": expect.stringMatching(
      new RegExp(`^attachment; filename="nest-spoke-backup-${id}-\\d{8}T\\d{6}Z\\.tar\\.gz\\.enc"$`),
    ),
    "cache-control": "no-store, no-cache, must-revalidate, private",
    "x-nest-backup-files": String(manifest.files.length),
    "x-nest-backup-bead-dirs": "1",
    "x-nest-backup-encrypted": "aes-256-gcm",
  });
  expect(response.headers.has("content-length")).toBe(false);
  await expect(opened(file, OTHER)).rejects.toMatchObject({ code: "archive_wrong_key" });
});

test("the five sources in their order: key_file, saved key, secret mount, key_env, NEST_BACKUP_KEY", async () => {
  const source = async () => ((await (await call("GET", "/api/backup/status")).json()) as { source: string }).source;
  environment = { NEST_BACKUP_KEY: KEY, MY_KEY: KEY };
  const configured = join(folder, "configured.key");
  await boot(`dashboard: {hub_proxied: true}\ngovernor: {backup: {key_env: MY_KEY, key_file: ${configured}}}`);
  expect(await source()).toBe("env:MY_KEY");
  await mkdir(join(folder, "mount"));
  await writeFile(join(folder, "mount", "backup_encryption_key"), KEY);
  expect(await source()).toBe(`file:${join(folder, "mount", "backup_encryption_key")}`);
  await mkdir(join(data, "secrets"));
  await writeFile(join(data, "secrets", "backup_encryption_key"), KEY);
  expect(await source()).toBe(`file:${join(data, "secrets", "backup_encryption_key")}`);
  await writeFile(configured, " \n");
  expect(await source()).toBe(`file:${join(data, "secrets", "backup_encryption_key")}`);
  await writeFile(configured, KEY);
  expect(await source()).toBe(`file:${configured}`);
});

test("a malformed key file stops the search: 412 with the reason, and never a character of it", async () => {
  environment = { NEST_BACKUP_KEY: KEY };
  await boot();
  await mkdir(join(data, "secrets"));
  await writeFile(join(data, "secrets", "backup_encryption_key"), "zz".repeat(20));
  const refused = await call("POST", "/api/backup");
  expect(refused.status).toBe(412);
  expect(await refused.text()).toMatch(/64 hexadecimal characters, it has 40/);
  expect(await (await call("GET", "/api/config/governor/backup")).json()).toMatchObject({
    configured: true,
    usable: false,
    reason: expect.stringContaining("hexadecimal"),
  });
});

test.each(["a folder", "a pipe", "a device", "a large file"])(
  "a key file that is %s stops the search: 412, and nobody waits",
  async (what) => {
    environment = { NEST_BACKUP_KEY: KEY };
    const file = what === "a device" ? "/dev/zero" : join(folder, "key");
    if (what === "a folder") await mkdir(file);
    if (what === "a pipe") execFileSync("mkfifo", [file]);
    if (what === "a large file") await writeFile(file, KEY.repeat(1000));
    await boot(`dashboard: {hub_proxied: true}\ngovernor: {backup: {key_file: ${file}}}`);
    const refused = await call("POST", "/api/backup");
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([412, "backup_key_unusable"]);
  },
);

test("replacing the key does not re-encrypt: the older archive opens with the older key alone", async () => {
  await boot();
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY });
  const { file } = await download();
  const older = join(folder, "older.enc");
  await rename(file, older);
  await call("PUT", "/api/config/governor/backup", { encryptionKey: OTHER });
  const { file: newer } = await download();
  expect((await opened(older, KEY)).files).toContain("spoke/app-key.pem");
  await expect(opened(older, OTHER)).rejects.toMatchObject({ code: "archive_wrong_key" });
  expect((await opened(newer, OTHER)).files).toContain("spoke/app-key.pem");
});

test("the key is never inside the archive", async () => {
  await boot();
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY, keyName: "spring" });
  const { file } = await download();
  const { files, destination } = await opened(file, KEY);
  expect(files).toContain("spoke/nest.yaml.dashboard");
  for (const name of files) expect(await readFile(join(destination, name), "latin1")).not.toContain(KEY);
});

test("NEST_SPOKE_BACKUP_DATA_DIR is what is backed up", async () => {
  const other = join(folder, "mounted");
  await mkdir(other);
  await writeFile(join(other, "nest.yaml.dashboard"), "from: elsewhere\n");
  environment = { NEST_BACKUP_KEY: KEY, NEST_SPOKE_BACKUP_DATA_DIR: other };
  await boot();
  const { file } = await download();
  expect((await opened(file, KEY)).files).toEqual(["MANIFEST.json", "spoke/nest.yaml.dashboard"]);
});

test("DELETE removes the saved key and says what remains; PUT of a new key clears an old label", async () => {
  environment = { NEST_BACKUP_KEY: OTHER };
  await boot();
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY, keyName: "old" });
  expect(await (await call("PUT", "/api/config/governor/backup", { encryptionKey: OTHER })).json()).toMatchObject({
    keyName: "",
  });
  expect(await (await call("DELETE", "/api/config/governor/backup")).json()).toMatchObject({
    status: "cleared",
    configured: true,
    source: "env:NEST_BACKUP_KEY",
  });
  const audit = (await readFile(join(data, "audit.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(audit.map(({ actor, action }) => `${actor} ${action}`)).toEqual(
    Array(2).fill("ada config_governor_backup_key set").concat("ada config_governor_backup_key clear"),
  );
  expect(audit[0].after).toMatchObject({ key: "[secret]" });
});

test.each<[unknown, string]>([
  [{}, "encryptionKey"],
  [{ encryptionKey: "" }, "encryptionKey: is empty"],
  [{ encryptionKey: "ab" }, "it has 2"],
  [{ encryptionKey: "zz".repeat(32) }, "64 hexadecimal"],
  [{ encryptionKey: KEY, keyName: "x".repeat(129) }, "keyName"],
  [{ encryptionKey: KEY, nonsense: 1 }, "nonsense: unknown key"],
  [[KEY], "body"],
])("PUT %j is a 400 that names what is wrong, and changes nothing", async (body, words) => {
  await boot();
  const refused = await call("PUT", "/api/config/governor/backup", body);
  expect(refused.status).toBe(400);
  const text = await refused.text();
  expect(text).toContain(words);
  expect(text).not.toContain(KEY);
  expect(await readdir(data)).not.toContain("secrets");
});

test.each<[string, Record<string, string>, number]>([
  ["no role", {}, 403],
  ["read", { "x-nest-role": "read" }, 403],
  ["merger", { "x-nest-role": "merger" }, 403],
  ["a wrong role", { "x-nest-role": "OWNER" }, 403],
  [
    "owner, from a page of another site",
    { ...OWNER, origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    403,
  ],
  ["owner, from the nest's own page", { ...OWNER, "sec-fetch-site": "same-origin" }, 200],
  ["owner", OWNER, 200],
])("behind the proxy, %s gets %i", async (_who, headers, status) => {
  environment = { NEST_BACKUP_KEY: KEY };
  await boot();
  expect((await call("POST", "/api/backup", undefined, headers)).status).toBe(status);
});

test("not proxied, the headers are nobody's: 401", async () => {
  environment = { NEST_BACKUP_KEY: KEY };
  await boot("dashboard: {hub_proxied: false}");
  for (const [method, path] of [
    ["GET", "/api/backup/status"],
    ["POST", "/api/backup"],
    ["DELETE", "/api/config/governor/backup"],
  ] as const) {
    expect((await call(method, path)).status).toBe(401);
  }
});

test("one at a time: a second build is told 429 with Retry-After, a broken-off one frees the place", async () => {
  environment = { NEST_BACKUP_KEY: KEY };
  await writeFile(
    join(data, "beads", "noise"),
    Buffer.from(Array.from({ length: 8_000_000 }, () => Math.random() * 256)),
  );
  await boot();
  const first = httpRequest(`${spoke.dashboardUrl}/api/backup`, { method: "POST", headers: OWNER });
  first.on("error", () => {});
  await new Promise<void>((resolve) => {
    first.on("response", (response) => {
      response.pause();
      resolve();
    });
    first.end();
  });
  const second = await call("POST", "/api/backup");
  expect(second.status).toBe(429);
  expect(second.headers.get("retry-after")).toBe("10");
  first.destroy();
  await expect.poll(async () => (await call("POST", "/api/backup")).status, { timeout: 5000 }).toBe(200);
});

test("links, pipes and unreadable files are told as skipped; the rest is stored", async () => {
  environment = { NEST_BACKUP_KEY: KEY };
  await symlink("/etc/passwd", join(data, "beads", "scanner", "link"));
  execFileSync("mkfifo", [join(data, "beads", "scanner", "pipe")]);
  await chmod(join(data, "app-key.pem"), 0o000);
  await boot();
  const { file, response } = await download();
  const { manifest } = await opened(file, KEY);
  expect(manifest.skipped).toMatchObject({ "beads/scanner/link": "a symbolic link", "beads/scanner/pipe": "a pipe" });
  expect(response.headers.get("x-nest-backup-files")).toBe(String(manifest.files.length));
});

test("the backup page is the owner's", async () => {
  await boot();
  expect(await (await call("GET", "/backup")).text()).toContain("Make a backup");
  expect((await call("GET", "/backup", undefined, { "x-nest-role": "read" })).status).toBe(403);
});

test("the folder of the key is closed to others, also when it was there before", async () => {
  await mkdir(join(data, "secrets"), { mode: 0o755 });
  await chmod(join(data, "secrets"), 0o755);
  await boot();
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY });
  expect((await stat(join(data, "secrets"))).mode & 0o777).toBe(0o700);
});
