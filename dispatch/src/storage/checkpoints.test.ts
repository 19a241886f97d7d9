import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { LOG_BYTES } from "./log-length.ts";
import { openSqlite } from "./sqlite.ts";

const KIB = "x".repeat(1024);

test("under load the log is copied into the database and begins anew instead of growing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nest-checkpoints-"));
  const file = join(folder, "hub.sqlite");
  const database = openSqlite(file, LOG_BYTES);
  const { sqlite, checkpoints } = database;
  const insert = sqlite.prepare("insert into settings (name, value) values (?, ?)");
  // Three times as much as the log has room for.
  for (let batch = 0; batch * 100 * KIB.length < 3 * LOG_BYTES; batch += 1) {
    sqlite.exec("begin");
    for (let row = 0; row < 100; row += 1) insert.run(`${batch}-${row}`, KIB);
    sqlite.exec("commit");
    checkpoints.written(100);
    await setImmediate();
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(2 * LOG_BYTES);
  expect(statSync(file).size).toBeGreaterThan(LOG_BYTES);
  expect(sqlite.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
