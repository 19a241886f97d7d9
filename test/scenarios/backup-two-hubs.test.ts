import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProcessHere } from "../harness/process-here.ts";

const COMMAND = new URL("../../bin/nest-backup", import.meta.url).pathname;

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-two-hubs-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Boots a hub outside of a cluster once, and gives its data directory. */
async function bootedHub(name: string): Promise<string> {
  const data = join(home, name);
  mkdirSync(data);
  const configuration = { project: { org: "acme", repos: ["one"] }, github: { token: "t" } };
  writeFileSync(join(home, "hub.yaml"), JSON.stringify(configuration));
  const hub = new ProcessHere("nest", ["hub"], {
    NEST_DATA_DIR: data,
    NEST_CONFIG: join(home, "hub.yaml"),
    NEST_HUB_PORT: "0",
    NEST_GITHUB_API_URL: "http://127.0.0.1:9",
  });
  await hub.says(/nest-hub listening on/);
  await hub[Symbol.asyncDispose]();
  // The hub writes it with the first heartbeat of a spoke.
  writeFileSync(join(data, "hub-registry.json"), '{"nests":[]}');
  return data;
}

function backup(data: string, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    NEST_BACKUP_KEY: "c0ffee00".repeat(8),
    NEST_BACKUP_DATA_DIR: data,
    NEST_BACKUP_BUCKET: `file://${home}/bucket`,
    NEST_BACKUP_RETENTION: "1",
  };
  return new Promise((resolve) => {
    const child = execFile(COMMAND, words, { env }, (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }));
  });
}

test("hubs that share a bucket never prune each other's archives: each uses the name it got at its first boot", async () => {
  const one = await bootedHub("one");
  const other = await bootedHub("other");
  const ids = [one, other].map((data) => readFileSync(join(data, "saas/hub-id"), "utf8").trim());
  expect(ids[0]).not.toBe(ids[1]);
  for (const data of [one, other, one, other]) {
    const made = await backup(data, "run", "-skip-secrets", "-skip-spokes");
    expect([made.code, made.err.includes("error")]).toEqual([0, false]);
  }
  const archives = readdirSync(join(home, "bucket")).filter((name) => name.startsWith("nest-hub-backup-"));
  expect(archives.map((name) => name.replace(/-\d{8}T\d{6}Z\.tar\.gz\.enc$/, "")).sort()).toEqual(
    ids.map((id) => `nest-hub-backup-${id}`).sort(),
  );
  expect((await backup(one, "list")).out).toContain(`nest-hub-backup-${ids[0]}-`);
  expect((await backup(one, "list")).out).not.toContain(ids[1]);
});

test("an unreadable hub name stops the command, because a new name would mean another hub's archives", async () => {
  const data = join(home, "data");
  mkdirSync(join(data, "saas/hub-id"), { recursive: true });
  expect((await backup(data, "list")).err).toContain("hub-id cannot be read (EISDIR)");
  rmSync(join(data, "saas/hub-id"), { recursive: true });
  writeFileSync(join(data, "saas/hub-id"), "\n");
  expect((await backup(data, "prune", "-dry-run")).err).toContain("hub-id is empty");
});
