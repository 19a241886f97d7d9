import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeBelow, removeFolder } from "./remove-folder.ts";

/** Somebody without an account: what permissions forbid is only seen by who is not root. */
const ORDINARY = 61_002;
const asRoot = process.getuid?.() === 0;

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest-remove-test-"));
  folder = join(root, "home");
  await mkdir(folder);
});
afterEach(async () => {
  await removeFolder(root);
});

/** Makes it the ordinary user's. Where we run as an ordinary user, it stays ours. */
async function give(...paths: string[]): Promise<void> {
  if (asRoot) for (const path of paths) await chown(path, ORDINARY, ORDINARY);
}

/** What a function of one of our files answers to an ordinary user who calls it twice. */
async function answersToOrdinaryUser(file: string, name: string, path: string): Promise<unknown[]> {
  // Loaded before the user changes: they may not be able to read this checkout.
  const lines = `const { ${name} } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href)});
    if (${asRoot}) { process.setgroups([]); process.setgid(${ORDINARY}); process.setuid(${ORDINARY}); }
    const call = async () => await ${name}(${JSON.stringify(path)}) ?? "gone";
    console.log(JSON.stringify([await call(), await call()]));`;
  await chmod(root, 0o755);
  await give(root);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", lines]);
  return JSON.parse(stdout) as unknown[];
}

test("a folder whose permissions were taken away goes, with the login in it", async () => {
  const [claude, closed] = [join(folder, ".claude"), join(folder, "closed")];
  await mkdir(claude);
  await mkdir(join(closed, "deeper"), { recursive: true });
  await writeFile(join(claude, ".credentials.json"), "a login");
  await give(folder, claude, join(claude, ".credentials.json"), closed, join(closed, "deeper"));
  await chmod(claude, 0o500);
  await chmod(join(closed, "deeper"), 0);
  await chmod(closed, 0);
  await chmod(folder, 0o500);
  expect(await answersToOrdinaryUser("remove-folder.ts", "removeFolder", folder)).toEqual(["gone", "gone"]);
  expect(await readdir(root)).not.toContain("home");
});

test("a chain of folders deeper than any path can name goes", async () => {
  let chain = join(root, "chain");
  await mkdir(chain);
  for (let depth = 0; depth < 1500; depth += 1) {
    const around = join(root, `around-${depth}`);
    await mkdir(around);
    await rename(chain, join(around, "d-of-a-chain"));
    chain = around;
  }
  await rename(chain, join(folder, "d"));
  expect(await removeFolder(folder)).toBeUndefined();
  expect(await readdir(root)).toEqual([]);
});

test("a link goes, and what it leads to stays as it was: contents and permissions", async () => {
  const outside = join(root, "outside");
  await mkdir(outside, { mode: 0o500 });
  await writeFile(join(root, "kept"), "mine");
  await mkdir(join(folder, "inner"));
  await symlink(outside, join(folder, "inner/to-folder"));
  await symlink(join(root, "kept"), join(folder, "to-file"));
  await symlink(folder, join(root, "itself-a-link"));
  expect(await removeFolder(join(root, "itself-a-link"))).toBeUndefined();
  expect(await readdir(folder)).toHaveLength(2);
  expect(await removeFolder(folder)).toBeUndefined();
  expect((await readdir(root)).sort()).toEqual(["kept", "outside"]);
  expect((await stat(outside)).mode & 0o777).toBe(0o500);
  expect(await readFile(join(root, "kept"), "utf8")).toBe("mine");
});

test("a copy of a login behind a link that the agent put in its way is left alone: it is the person's own", async () => {
  const own = join(root, "own");
  await mkdir(own);
  await writeFile(join(own, "login"), "the person's");
  await symlink(own, join(folder, ".claude"));
  await removeBelow(folder, join(folder, ".claude/login"));
  expect(await readdir(own)).toEqual(["login"]);
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real/login"), "a copy");
  await chmod(join(folder, "real"), 0o500);
  await removeBelow(folder, join(folder, "real/login"));
  expect(await readdir(join(folder, "real"))).toEqual([]);
});

test("nothing to remove is nothing to tell of", async () => {
  expect(await removeFolder(join(root, "nowhere"))).toBeUndefined();
});

test.runIf(asRoot)("what holds another user's files stays and is told of; everything beside it goes", async () => {
  await mkdir(join(folder, "a/roots"), { recursive: true });
  await writeFile(join(folder, "a/roots/file"), "");
  await mkdir(join(folder, "z/inner"), { recursive: true });
  await give(folder, join(folder, "a"), join(folder, "z"), join(folder, "z/inner"));
  const told = `${folder} (EACCES)`;
  expect(await answersToOrdinaryUser("remove-folder.ts", "removeFolder", folder)).toEqual([told, told]);
  const left = await readdir(folder, { recursive: true });
  expect(left.filter((name) => /z|inner/.test(name))).toEqual([]);
  expect(left.some((name) => name.endsWith("roots/file"))).toBe(true);
});

test.runIf(asRoot)("a workspace that does not go is told of once, however often it is tried", async () => {
  const [task, home] = [join(root, "task-999999999-1700000000000-one-abc"), "home"];
  await mkdir(join(task, home, "roots"), { recursive: true });
  await writeFile(join(task, home, "roots/file"), "");
  await give(task, join(task, home));
  const told = [`${join(task, home)} (EACCES)`];
  expect(await answersToOrdinaryUser("workspace.ts", "clearWorkspaces", root)).toEqual([told, []]);
});
