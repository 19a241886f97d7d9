import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOG_BYTES, reserveLog } from "./log-length.ts";
import { openSqlite } from "./sqlite.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nest-log-length-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function settings(sqlite: DatabaseSync): unknown[] {
  return sqlite.prepare("select name, value from settings order by name").all();
}

test("a new database has its log at full length, and it stays so", async () => {
  const file = join(folder, "hub.sqlite");
  const database = openSqlite(file, LOG_BYTES);
  expect(statSync(`${file}-wal`)).toMatchObject({ size: LOG_BYTES });
  expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  database.sqlite.exec("insert into settings (name, value) values ('one', '1'); pragma wal_checkpoint(restart)");
  database.sqlite.exec("insert into settings (name, value) values ('two', '2')");
  expect(statSync(`${file}-wal`).size).toBe(LOG_BYTES);
  await database.close();
  const again = openSqlite(file, LOG_BYTES);
  expect(settings(again.sqlite)).toEqual([
    { name: "one", value: "1" },
    { name: "two", value: "2" },
  ]);
  await again.close();
});

test("what a killed hub left in a shorter log is there after it was made longer", async () => {
  const file = join(folder, "hub.sqlite");
  const database = openSqlite(file);
  database.sqlite.exec("insert into settings (name, value) values ('one', '1')");
  const killed = join(folder, "killed.sqlite");
  for (const ending of ["", "-wal"]) copyFileSync(file + ending, killed + ending);
  await database.close();
  expect(statSync(`${killed}-wal`).size).toBeLessThan(LOG_BYTES);
  reserveLog(killed, LOG_BYTES);
  const after = new DatabaseSync(killed);
  expect(settings(after)).toEqual([{ name: "one", value: "1" }]);
  after.close();
});
