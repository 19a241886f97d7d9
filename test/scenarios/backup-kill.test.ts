import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";

const COMMAND = new URL("../../bin/nest-backup", import.meta.url).pathname;
const MARK = "plaintext-that-must-never-be-left";
let home = "";
let environment: Record<string, string> = {};

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "nest-kill-"));
  const data = join(home, "data");
  mkdirSync(join(data, "saas"), { recursive: true });
  mkdirSync(join(home, "tmp"));
  writeFileSync(join(data, "hub-registry.json"), '{"nests":[]}');
  for (let file = 0; file < 60; file += 1)
    writeFileSync(join(data, `saas/${file}`), Buffer.concat([Buffer.from(MARK), randomBytes(1_000_000)]));
  environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    NEST_BACKUP_KEY: "5e".repeat(32),
    NEST_BACKUP_DATA_DIR: data,
  };
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const RUN = ["run", "-skip-spokes", "-skip-secrets"];

function run(...words: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(COMMAND, words, { env: environment }, () => resolve(child.exitCode ?? -1));
  });
}

async function killedAfter(delayMs: number, signal: NodeJS.Signals, ...words: string[]): Promise<number | null> {
  const child: ChildProcess = spawn(COMMAND, words, { env: environment, stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await sleep(delayMs);
  child.kill(signal);
  return ended;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

test.each([150, 300, 450, 600, 900])(
  "SIGKILL after %i ms of a run: no plaintext left, nothing half-made under the name",
  async (delay) => {
    const out = join(home, `out-${delay}`);
    mkdirSync(out);
    await killedAfter(delay, "SIGKILL", ...RUN, "-local", join(out, "archive.enc"));
    for (const file of [...filesUnder(out), ...filesUnder(join(home, "tmp"))])
      expect(readFileSync(file).includes(MARK)).toBe(false);
    if (readdirSync(out).includes("archive.enc"))
      expect(await run("verify", "-file", join(out, "archive.enc"))).toBe(0);
    expect(await run(...RUN, "-local", join(out, "archive.enc"))).toBe(0);
    expect(readdirSync(out)).toEqual(["archive.enc"]);
  },
);

test.each([400, 700])(
  "SIGKILL after %i ms of a run to a bucket: every archive that it lists verifies",
  async (delay) => {
    const bucket = join(home, `bucket-${delay}`);
    environment.NEST_BACKUP_BUCKET = `file://${bucket}`;
    await killedAfter(delay, "SIGKILL", ...RUN);
    expect(await run(...RUN)).toBe(0);
    const names = readdirSync(bucket).filter((name) => !name.startsWith("."));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(await run("verify", "-name", name)).toBe(0);
  },
);

test("SIGTERM ends a run in good order: nothing is left at all", async () => {
  const out = join(home, "out-term");
  mkdirSync(out);
  const child = spawn(COMMAND, [...RUN, "-local", join(out, "archive.enc")], { env: environment, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (readdirSync(out).length === 0) await sleep(5);
  child.kill("SIGTERM");
  expect(await ended).toBe(1);
  expect(readdirSync(out)).toEqual([]);
});

test("a killed extract shows nothing under the destination, and the next one clears up after it", async () => {
  const archive = join(home, "archive.enc");
  expect(await run(...RUN, "-local", archive)).toBe(0);
  const dest = join(home, "dest");
  mkdirSync(dest);
  for (const delay of [200, 300, 400]) {
    await killedAfter(delay, "SIGKILL", "extract", "-file", archive, "-dest", dest);
    const visible = readdirSync(dest).filter((name) => !name.startsWith(".nest-extract-"));
    if (visible.includes("MANIFEST.json")) return;
    expect(visible).toEqual([]);
    for (const name of readdirSync(dest)) expect(statSync(join(dest, name)).mode & 0o077).toBe(0);
  }
  expect(await run("extract", "-file", archive, "-dest", dest)).toBe(0);
  expect(readdirSync(dest).sort()).toEqual(["MANIFEST.json", "hub"]);
});

test("a killed restore leaves nothing or all of it under final names, and the next one says what it finds", async () => {
  const archive = join(home, "to-restore.enc");
  expect(await run(...RUN, "-local", archive)).toBe(0);
  for (const delay of [250, 400, 550]) {
    const dest = join(home, `restored-${delay}`);
    mkdirSync(dest);
    await killedAfter(delay, "SIGKILL", "restore", "-file", archive, "-dest", dest);
    const visible = readdirSync(dest).filter((name) => !name.startsWith(".nest-extract-"));
    if (visible.includes("saas")) expect(readdirSync(join(dest, "saas"))).toHaveLength(60);
    else expect(visible).toEqual([]);
    const again = await run("restore", "-file", archive, "-dest", dest, ...(visible.length > 0 ? ["-force"] : []));
    expect(again).toBe(0);
    expect(readdirSync(dest).sort()).toEqual([".restored-from.json", "hub-registry.json", "saas"]);
  }
});
