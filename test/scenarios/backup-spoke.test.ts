import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProcessHere } from "../harness/process-here.ts";

const COMMAND = new URL("../../bin/nest-backup", import.meta.url).pathname;
const KEY = "0badcafe".repeat(8);
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner" };

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-spoke-drill-"));
  const seed = { project: { org: "acme", repos: ["one"] }, github: { app_id: 7 }, dashboard: { hub_proxied: true } };
  writeFileSync(join(home, "nest.yaml"), JSON.stringify(seed));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A spoke as a process on a data directory, and where it answers. */
async function spokeOn(data: string): Promise<{ spoke: ProcessHere; url: string }> {
  const spoke = new ProcessHere("nest", ["spoke"], {
    HOME: home,
    NEST_DATA_DIR: data,
    NEST_CONFIG: join(home, "nest.yaml"),
    NEST_SPOKE_DASHBOARD_PORT: "0",
    NEST_SPOKE_TERMINAL_PORT: "0",
  });
  const [, url = ""] = await spoke.says(/nest-spoke listening on (\S+)/);
  return { spoke, url };
}

function restore(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, NEST_BACKUP_KEY: KEY };
  return new Promise((resolve) => {
    const child = execFile(COMMAND, ["restore", ...words], { env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

test("the owner's download, restored on an empty machine, makes the same nest again", async () => {
  const before = join(home, "before");
  mkdirSync(join(before, "beads/scanner"), { recursive: true });
  writeFileSync(join(before, "beads/scanner/beads.json"), '[{"id":"b-1"}]');
  writeFileSync(join(before, "app-key.pem"), "PRIVATE", { mode: 0o600 });
  writeFileSync(join(before, "nest.yaml.runtime"), "acmm_level: 3\n");
  const first = await spokeOn(before);
  const body = JSON.stringify({ encryptionKey: KEY, keyName: "escrowed" });
  const headers = { ...OWNER, "content-type": "application/json" };
  const saved = await fetch(`${first.url}/api/config/governor/backup`, { method: "PUT", headers, body });
  expect(saved.status).toBe(200);
  const download = await fetch(`${first.url}/api/backup`, { method: "POST", headers: OWNER });
  const file = join(home, /filename="([^"]+)"/.exec(download.headers.get("content-disposition") ?? "")?.[1] ?? "");
  writeFileSync(file, Buffer.from(await download.arrayBuffer()));
  await first.spoke[Symbol.asyncDispose]();
  const id = readFileSync(join(before, "nest-id"), "utf8");
  rmSync(before, { recursive: true });

  const after = join(home, "after");
  expect([(await restore("-file", file, "-dest", after)).code, readdirSync(after).sort()]).toEqual([
    0,
    ["app-key.pem", "beads", "nest-id", "nest-state.json", "nest.yaml.dashboard", "nest.yaml.runtime"],
  ]);
  expect([statSync(after).mode & 0o777, statSync(join(after, "app-key.pem")).mode & 0o777]).toEqual([0o700, 0o600]);
  const second = await spokeOn(after);
  await using _second = second.spoke;
  expect((await fetch(`${second.url}/api/health`)).status).toBe(200);
  expect(readFileSync(join(after, "nest-id"), "utf8")).toBe(id);
  expect(readFileSync(join(after, "beads/scanner/beads.json"), "utf8")).toBe('[{"id":"b-1"}]');
  // The key is in no archive: the nest says so until its owner saves it again, and its label is still there.
  const state = await (await fetch(`${second.url}/api/config/governor/backup`, { headers: OWNER })).json();
  expect(state).toMatchObject({ configured: false, usable: false, keyName: "escrowed" });
  expect((await fetch(`${second.url}/api/backup`, { method: "POST", headers: OWNER })).status).toBe(412);

  // Another nest's directory is not taken by mistake.
  const other = join(home, "other");
  await (await spokeOn(other)).spoke[Symbol.asyncDispose]();
  const refused = await restore("-file", file, "-dest", other);
  expect([refused.code, refused.err.includes("the archive to")]).toEqual([1, true]);
});
