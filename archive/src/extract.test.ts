import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { extractArchive } from "./extract.ts";
import { anArchive, KEY, noise, sealedTar } from "./testing/make.ts";
import { unfinishedName } from "./unfinished.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-extract-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const FILES = {
  "hub/saas/hmac.key": noise(32),
  "secrets/nest-hub-secrets.json": Buffer.from("{}"),
  "spokes/one/nest.yaml.dashboard": Buffer.from("a: 1\n"),
};
const into = (
  sealed: Buffer,
  destination: string,
  more: { force?: boolean; path?: string; memberBytes?: number } = {},
) => extractArchive({ sealed: [sealed], destination, keys: [KEY], random: "test", force: false, ...more });

test.each(["a folder that is not there yet", "an empty folder"])("an archive is extracted into %s", async (where) => {
  const destination = join(home, "restored");
  if (where === "an empty folder") mkdirSync(destination);
  const { written } = await into(await anArchive(FILES), destination);
  expect(written).toBe(3);
  expect(readdirSync(destination).sort()).toEqual(["MANIFEST.json", "hub", "secrets", "spokes"]);
  for (const [path, content] of Object.entries(FILES))
    expect(readFileSync(join(destination, path)).equals(content)).toBe(true);
  expect(readdirSync(home)).toEqual(["restored"]);
});

test("secrets, spokes and every folder are private; nothing is writable for others", async () => {
  const destination = join(home, "restored");
  await into(await anArchive(FILES), destination);
  const mode = (path: string) => (statSync(join(destination, path)).mode & 0o777).toString(8);
  expect(mode("secrets")).toBe("700");
  expect(mode("secrets/nest-hub-secrets.json")).toBe("600");
  expect(mode("spokes/one/nest.yaml.dashboard")).toBe("600");
  expect(mode("hub/saas/hmac.key")).toBe("644");
  for (const folder of ["", "hub", "hub/saas", "spokes/one"]) expect(mode(folder)).toBe("700");
});

test("a bad archive leaves nothing behind", async () => {
  const destination = join(home, "restored");
  const good = await anArchive({ ...FILES, "hub/big": noise(300_000) }, { chunkLog2: 16 });
  good[good.length - 1] = (good.at(-1) ?? 0) ^ 1;
  await expect(into(good, destination)).rejects.toMatchObject({ code: "archive_damaged" });
  expect(readdirSync(home)).toEqual([]);
});

test("a hostile archive leaves nothing behind, inside or outside", async () => {
  const destination = join(home, "restored");
  mkdirSync(destination);
  const members = [
    { path: "hub/ok", content: Buffer.from("x") },
    { path: "../escaped", content: Buffer.from("x") },
  ];
  await expect(into(await sealedTar(members), destination)).rejects.toMatchObject({ code: "archive_hostile" });
  expect(readdirSync(destination)).toEqual([]);
  expect(existsSync(join(home, "escaped"))).toBe(false);
});

test("a folder that is not empty is refused without -force, and written between with it", async () => {
  const destination = join(home, "restored");
  mkdirSync(join(destination, "hub"), { recursive: true });
  writeFileSync(join(destination, "hub", "other"), "kept");
  const archive = await anArchive(FILES);
  await expect(into(archive, destination)).rejects.toMatchObject({ code: "destination_not_empty" });
  await into(archive, destination, { force: true });
  expect(readFileSync(join(destination, "hub", "other"), "utf8")).toBe("kept");
  expect(existsSync(join(destination, "hub", "saas", "hmac.key"))).toBe(true);
});

test("a link that was planted in the destination is not followed", async () => {
  const destination = join(home, "restored");
  mkdirSync(destination);
  mkdirSync(join(home, "elsewhere"));
  symlinkSync(join(home, "elsewhere"), join(destination, "hub"));
  await expect(into(await anArchive(FILES), destination, { force: true })).rejects.toMatchObject({
    code: "destination_unsafe",
  });
  expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  expect(readdirSync(destination)).toEqual(["hub"]);
});

test("a part is extracted while the whole is verified", async () => {
  const destination = join(home, "restored");
  const { written } = await into(await anArchive(FILES), destination, { path: "spokes/one" });
  expect(written).toBe(1);
  expect(readdirSync(destination).sort()).toEqual(["MANIFEST.json", "spokes"]);
});

test("the private folder of a killed run is removed by the next; one that may be at work is not", async () => {
  const destination = join(home, "restored");
  const working = ".nest-extract-00000000-1-elsewhere";
  const died = spawnSync(process.execPath, ["-e", ""]).pid;
  const dead = unfinishedName(".nest-extract-", "dead").replace(`-${process.pid}-`, `-${died}-`);
  const alive = unfinishedName(".nest-extract-", "alive");
  for (const name of [dead, alive, working]) mkdirSync(join(destination, name, "hub"), { recursive: true });
  await into(await anArchive(FILES), destination, { force: true });
  expect(readdirSync(destination).sort()).toEqual([
    ...[alive, working].sort(),
    "MANIFEST.json",
    "hub",
    "secrets",
    "spokes",
  ]);
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600;
  utimesSync(join(destination, working), twoDaysAgo, twoDaysAgo);
  await into(await anArchive(FILES), destination, { force: true });
  expect(readdirSync(destination)).not.toContain(working);
});

test("more than there is room for is refused before the disk is full", async () => {
  const destination = join(home, "restored");
  const sealed = await sealedTar([
    { path: "hub/small" },
    { path: "hub/huge", content: Buffer.from("x"), size: 2 ** 49 },
  ]);
  const reading = into(sealed, destination, { memberBytes: 2 ** 60 });
  await expect(reading).rejects.toMatchObject({ code: "disk_full" });
  expect(readdirSync(home)).toEqual([]);
});
