import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDataFolder, readTextIfPresent, writeFileAtomic, writeFileAtomicSync } from "./files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kit-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a file is replaced whole, with the mode it was asked for and nothing left beside it", async () => {
  const path = join(folder, "record.json");
  await writeFileAtomic(path, "one");
  writeFileAtomicSync(path, "two");
  expect(await readFile(path, "utf8")).toBe("two");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["record.json"]);
});

test("a data directory that cannot be one is bad configuration, told by its variable", async () => {
  await makeDataFolder(join(folder, "data"), "NEST_DATA_DIR");
  expect((await stat(join(folder, "data"))).mode & 0o777).toBe(0o700);
  await writeFileAtomic(join(folder, "file"), "");
  await expect(makeDataFolder(join(folder, "file", "data"), "NEST_DATA_DIR")).rejects.toMatchObject({
    code: "bad_configuration",
    message: `NEST_DATA_DIR: ${join(folder, "file", "data")} cannot be used as a data directory (ENOTDIR)`,
  });
});

test("a write that fails leaves nothing under the name and nothing beside it", async () => {
  await expect(writeFileAtomic(join(folder, "no", "such"), "x")).rejects.toThrow("ENOENT");
  expect(await readdir(folder)).toEqual([]);
  expect(await readTextIfPresent(join(folder, "absent"))).toBeUndefined();
});
