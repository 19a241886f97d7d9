import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "../config/settings.ts";
import { type RunningSpoke, startSpoke } from "../start.ts";

const KEY = "ab".repeat(32);
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

let folder = "";
let spoke: RunningSpoke;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-backup-routes-"));
  const seed = { project: { org: "acme" }, github: { token: "t" }, dashboard: { hub_proxied: true } };
  await writeFile(join(folder, "nest.yaml"), JSON.stringify(seed));
  const settings = readSettings({
    NEST_DATA_DIR: folder,
    NEST_CONFIG: join(folder, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
    NEST_SECRETS_DIR: join(folder, "mount"),
  });
  const parts = { settings, clock: systemClock(), random: systemRandom(), log: silentLog(), version: "0.1.0" };
  spoke = await startSpoke(parts);
});
afterEach(async () => {
  await spoke.close();
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

test("no answer about backups is kept on the way, whatever was asked and however it went", async () => {
  const key = "/api/config/governor/backup";
  const stranger = { "x-nest-user": "eve", "x-nest-role": "viewer" };
  const asked: [string, string, unknown?, Record<string, string>?][] = [
    ["GET", "/api/backup/status"],
    ["POST", "/api/backup"],
    ["PUT", key, { encryptionKey: KEY }],
    ["PUT", key, { encryptionKey: "short" }],
    ["GET", `${key}?again`],
    ["POST", "/api/backup"],
    ["DELETE", key],
    ["DELETE", key, undefined, stranger],
    ["GET", key, undefined, {}],
    ["PUT", key, "x".repeat(3_000_000)],
    ["GET", "/api/backup"],
  ];
  const statuses: number[] = [];
  for (const [method, path, body, headers] of asked) {
    const response = await call(method, path, body, headers);
    await response.arrayBuffer();
    statuses.push(response.status);
    expect([method, path, response.status, response.headers.get("cache-control")]).toEqual([
      method,
      path,
      response.status,
      expect.stringContaining("no-store"),
    ]);
  }
  expect(statuses).toEqual([200, 412, 200, 400, 200, 200, 200, 403, 403, 413, 405]);
});

test("a JSON type with an empty body is no body: POST and DELETE go well, PUT says what is missing", async () => {
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY });
  const headers = { ...OWNER, "content-type": "application/json" };
  const posted = await call("POST", "/api/backup", undefined, headers);
  await posted.arrayBuffer();
  expect(posted.status).toBe(200);
  const put = await call("PUT", "/api/config/governor/backup", undefined, headers);
  expect([put.status, ((await put.json()) as { error: string }).error]).toEqual([
    400,
    expect.stringContaining("encryptionKey"),
  ]);
  expect((await call("DELETE", "/api/config/governor/backup", undefined, headers)).status).toBe(200);
});

test("what becomes of backups and their key is in the activity, with who did it", async () => {
  await call("POST", "/api/backup");
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY });
  await (await call("POST", "/api/backup")).arrayBuffer();
  await call("PUT", "/api/config", { governor: { backup: { key_name: "spring" } } });
  await call("DELETE", "/api/config/governor/backup");
  const told = async () => {
    const { activity } = (await (await call("GET", "/api/activity")).json()) as {
      activity: { action: string; detail?: string }[];
    };
    return activity.flatMap(({ action, detail }) => (action.startsWith("backup") ? [`${action}: ${detail}`] : []));
  };
  await expect
    .poll(told)
    .toEqual([
      "backup key removed: by ada",
      "backup key settings changed: by ada",
      expect.stringMatching(/^backup taken: \d+ files, by ada$/),
      "backup key saved: by ada",
      "backup failed: no backup key is configured, asked for by ada",
    ]);
});

test("the configuration says who saved the backup key", async () => {
  await call("PUT", "/api/config/governor/backup", { encryptionKey: KEY });
  const { rows } = (await (await call("GET", "/api/config/provenance")).json()) as {
    rows: { key: string; by?: string }[];
  };
  expect(rows.find(({ key }) => key === "governor.backup.key_file")?.by).toBe("ada");
});

test("taking away a key where none was saved is told to nobody", async () => {
  await call("DELETE", "/api/config/governor/backup");
  const { activity } = (await (await call("GET", "/api/activity")).json()) as { activity: { action: string }[] };
  expect(activity.filter(({ action }) => action.startsWith("backup"))).toEqual([]);
  const { entries } = (await (await call("GET", "/api/audit")).json()) as { entries: unknown[] };
  expect(entries).toEqual([]);
});

test("a status without a key points to where one is saved", async () => {
  const { reason } = (await (await call("GET", "/api/backup/status")).json()) as { reason: string };
  expect(reason).toBe("no backup key is configured; save one on the Backup page, or set NEST_BACKUP_KEY");
});
