import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NameSet } from "./member-names.ts";
import { treeMembers } from "./tree.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nest-tree-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function tree(options: { leaveOut?(path: string): boolean } = {}) {
  const skipped: Record<string, string> = {};
  const members = treeMembers({
    root,
    prefix: "hub/saas",
    names: new NameSet(),
    skipped: (path, reason) => {
      skipped[path] = reason;
    },
    ...options,
  });
  return { members, skipped };
}

test("regular files are stored in the order of their names, with their permission bits", () => {
  mkdirSync(join(root, "users"));
  writeFileSync(join(root, "users", "b.json"), "b", { mode: 0o600 });
  writeFileSync(join(root, "users", "a.json"), "a", { mode: 0o644 });
  const { members, skipped } = tree();
  expect([...members].map(({ path, mode, size }) => [path, mode, size])).toEqual([
    ["hub/saas/users/a.json", 0o644, 1],
    ["hub/saas/users/b.json", 0o600, 1],
  ]);
  expect(skipped).toEqual({});
});

test("links, pipes and sockets are told as skipped and never followed", async () => {
  writeFileSync(join(root, "real"), "x");
  symlinkSync("/etc/passwd", join(root, "link"));
  symlinkSync("/etc", join(root, "linked-folder"));
  execFileSync("/bin/sh", ["-c", `mkfifo "$1"`, "sh", join(root, "pipe")]);
  const server = createServer().listen(join(root, "socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  const { members, skipped } = tree();
  expect([...members].map(({ path }) => path)).toEqual(["hub/saas/real"]);
  expect(skipped).toEqual({
    "hub/saas/link": "a symbolic link",
    "hub/saas/linked-folder": "a symbolic link",
    "hub/saas/pipe": "a pipe",
    "hub/saas/socket": "a socket",
  });
  server.close();
});

test("a file that vanished between listing and reading is told", () => {
  for (const name of ["a", "b"]) writeFileSync(join(root, name), name);
  const { members, skipped } = tree();
  expect(members.next().value?.path).toBe("hub/saas/a");
  rmSync(join(root, "b"));
  expect([...members]).toEqual([]);
  expect(skipped).toEqual({ "hub/saas/b": "vanished" });
});

test("an unreadable file or folder is told as skipped", () => {
  writeFileSync(join(root, "closed"), "x", { mode: 0o000 });
  mkdirSync(join(root, "shut"), { mode: 0o000 });
  writeFileSync(join(root, "open"), "x", { mode: 0o644 });
  chmodSync(root, 0o755);
  const { members, skipped } = tree();
  const isRoot = process.getuid?.() === 0;
  // Root can read every file, so become another user.
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect([...members].map(({ path }) => path)).toEqual(["hub/saas/open"]);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  expect(skipped).toEqual({
    "hub/saas/closed": "not readable (permission denied)",
    "hub/saas/shut": "folder not readable (EACCES)",
  });
});

test("what a reader would refuse is skipped when writing", () => {
  for (const name of ["ok", "back\\slash", "line\nbreak", "same", "SAME"]) writeFileSync(join(root, name), name);
  const { members, skipped } = tree();
  expect([...members].map(({ path }) => path)).toEqual(["hub/saas/SAME", "hub/saas/ok"]);
  expect(skipped).toEqual({
    "hub/saas/back\\slash": "backslash in the name",
    "hub/saas/line\nbreak": "control character in the name",
    "hub/saas/same": "name occurs twice",
  });
});

test.each(["grows", "shrinks"])("a large file that %s while it is read keeps its announced size and is told", (how) => {
  const file = join(root, "large");
  writeFileSync(file, Buffer.alloc(9 * 1024 * 1024, 1));
  const { members, skipped } = tree();
  const member = members.next().value;
  let bytes = 0;
  for (const piece of (member?.content ?? []) as Iterable<Buffer>) {
    if (bytes === 0) how === "grows" ? appendFileSync(file, "more") : truncateSync(file, 2 * 1024 * 1024);
    bytes += piece.length;
  }
  expect(bytes).toBe(9 * 1024 * 1024);
  expect(skipped).toEqual({ "hub/saas/large": "changed while it was read; stored as it was read" });
});

test("what is left out is left out without a word", () => {
  mkdirSync(join(root, "logs"));
  writeFileSync(join(root, "logs", "x"), "x");
  const { members, skipped } = tree({ leaveOut: (path) => path === "logs" });
  expect([...members]).toEqual([]);
  expect(skipped).toEqual({});
});
