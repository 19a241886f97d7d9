import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TaskCredential } from "../credential.ts";
import { firstMeaningfulLine } from "../probe.ts";
import { membersOf } from "../process-tree.ts";
import { clearWorkspaces, makeWorkspace } from "./workspace.ts";

const run = promisify(execFile);
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest work's "));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("a workspace is empty and its owner's alone; of the ended ones the last three stay", async () => {
  const folders: string[] = [];
  for (let at = 0; at < 5; at += 1) folders.push(await makeWorkspace(root, "ct-acme/web-12", 1_700_000_000_000 + at));
  expect(await readdir(folders[0]!)).toEqual([]);
  expect((await stat(folders[0]!)).mode & 0o777).toBe(0o700);
  await clearWorkspaces(root, folders.slice(0, 1));
  const left = await readdir(root);
  expect(left).toHaveLength(4);
  expect(left.some((name) => folders[0]!.includes(name))).toBe(true);
  await clearWorkspaces(root);
  expect(await readdir(root)).toHaveLength(3);
});

test("a workspace that a killed relay left keeps no copy of a login", async () => {
  const folder = join(root, "task-999999999-1700000000000-one-abc");
  await mkdir(join(folder, "work"), { recursive: true });
  await mkdir(join(folder, "home/.claude"), { recursive: true });
  await writeFile(join(folder, "home/.claude/.credentials.json"), "a login");
  await clearWorkspaces(root);
  expect(await readdir(folder)).toEqual(["work"]);
});

test("git gets the task's credential from a file that a renewal rewrites, for the code host alone", async () => {
  const credential = await TaskCredential.create("first-token", "https://codehost.example/", root);
  const ask = async (host: string) => {
    const asked = run("git", ["credential", "fill"], {
      env: { PATH: process.env.PATH, HOME: root, ...credential.environment() },
    });
    asked.child.stdin?.end(`protocol=https\nhost=${host}\n\n`);
    return (await asked).stdout;
  };
  expect(await ask("codehost.example")).toContain("password=first-token");
  await credential.renew("second-token");
  expect(await ask("codehost.example")).toContain("username=x-access-token\npassword=second-token");
  await expect(ask("elsewhere.example")).rejects.toThrow();
  const [name] = await readdir(root);
  expect((await stat(join(root, name!, "token"))).mode & 0o777).toBe(0o600);
  expect(Object.values(credential.environment()).join(" ")).not.toContain("token-");
  await credential.remove();
  expect(await readdir(root)).toEqual([]);
});

test.each([
  ["2.1.0 (Claude Code)\n", "2.1.0 (Claude Code)"],
  ["WARNING: 2 things\ncodex-cli 0.40.0\n", "codex-cli 0.40.0"],
  ["\n\u001b[1m  copilot 0.0.3 \u001b[0m\r\nCommit: abc", "copilot 0.0.3"],
  ["no number here", "no number here"],
  ["---\n", undefined],
  ["", undefined],
  [`v1 ${"x".repeat(200)}`, `v1 ${"x".repeat(61)}`],
])("of the version output %j the line %j is declared", (printed, line) => {
  expect(firstMeaningfulLine(printed)).toBe(line);
});

test("a tree of processes is its descendants, its group and session, its mark, and whoever was seen in it", () => {
  const row = (pid: number, parent: number, more = {}) => ({
    pid,
    parent,
    group: pid,
    session: pid,
    user: 1000,
    startedAt: String(pid),
    ...more,
  });
  const rows = [
    row(10, 1),
    row(11, 10),
    row(12, 11),
    row(20, 1, { group: 10 }),
    row(30, 1, { mark: "m" }),
    row(31, 30),
    row(40, 1),
    row(50, 1, { startedAt: "later" }),
    row(60, 1),
  ];
  const tree = {
    root: 10,
    mark: "m",
    seen: new Map([
      [10, "10"],
      [40, "40"],
      [50, "50"],
    ]),
  };
  expect(
    membersOf(rows, tree)
      .map(({ pid }) => pid)
      .sort(),
  ).toEqual([10, 11, 12, 20, 30, 31, 40]);
});
