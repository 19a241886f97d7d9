import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clearLockFile, lockFileText, placeLockFile, removeLockFile } from "./lock-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-lock-file-"));
  path = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("of many that place a lock file one does, and nothing is left beside it", async () => {
  const placed = await Promise.all(Array.from({ length: 20 }, (_, at) => placeLockFile(path, `holder ${at}`)));
  expect(placed.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, "utf8")).toBe(`holder ${placed.indexOf(true)}`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["lock"]);
});

test("a lock file is cleared away for what was seen in it, and the one of who was faster stays", async () => {
  await placeLockFile(path, "killed");
  expect(await clearLockFile(path, "killed")).toBe(true);
  expect(lockFileText(path)).toBeUndefined();
  expect(await clearLockFile(path, "killed")).toBe(true);
  await placeLockFile(path, "faster");
  expect(await clearLockFile(path, "killed")).toBe(false);
  expect(lockFileText(path)).toBe("faster");
  expect(await readdir(folder)).toEqual(["lock"]);
});

test("a lock file is removed by its holder alone", async () => {
  await placeLockFile(path, "other");
  removeLockFile(path, "mine");
  expect(lockFileText(path)).toBe("other");
  await writeFile(path, "mine");
  removeLockFile(path, "mine");
  removeLockFile(path, "mine");
  expect(lockFileText(path)).toBeUndefined();
});
