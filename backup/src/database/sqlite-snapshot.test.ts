import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { snapshotSqlite } from "./sqlite-snapshot.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-snapshot-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function aDatabase(folder: string): DatabaseSync {
  const sqlite = new DatabaseSync(join(folder, "hub.sqlite"));
  sqlite.exec("pragma journal_mode = wal; create table things (id integer primary key, name text)");
  sqlite.exec("insert into things (name) values ('one'), ('two')");
  return sqlite;
}

test("what is written after the snapshot began is not in it, and the writer is not held up", async () => {
  const sqlite = aDatabase(home);
  const snapshot = snapshotSqlite(join(home, "hub.sqlite"));
  sqlite.exec("insert into things (name) values ('three'); delete from things where name = 'one'");
  const names: unknown[] = [];
  for await (const row of snapshot?.rows("things") ?? []) names.push(row.name);
  expect(names).toEqual(["one", "two"]);
  await snapshot?.[Symbol.asyncDispose]();
  sqlite.close();
});

test("where there is no database there is nothing to read", () => {
  expect(snapshotSqlite(join(home, "hub.sqlite"))).toBeUndefined();
});

test("a folder that is mounted read-only is read from a copy, log included, which is gone afterwards", async () => {
  const mounted = join(home, "mounted");
  const source = join(home, "source");
  const mount = (script: string) => execFileSync("/bin/sh", ["-c", script, "sh", source, mounted], { stdio: "ignore" });
  try {
    mount('mkdir "$1" "$2" && mount --bind "$1" "$2" && mount -o remount,bind,ro "$2"');
  } catch {
    console.error("skipped: a read-only mount (mounting needs more rights)");
    return;
  }
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("nest-backup-sqlite-")).length;
  const before = copies();
  const sqlite = aDatabase(source);
  try {
    const snapshot = snapshotSqlite(join(mounted, "hub.sqlite"));
    expect(copies()).toBe(before + 1);
    expect(snapshot?.facts.tables).toMatchObject([{ name: "things", columns: ["id", "name"], rows: 2 }]);
    await snapshot?.[Symbol.asyncDispose]();
    expect(copies()).toBe(before);
  } finally {
    sqlite.close();
    mount('umount -l "$2"');
  }
});
