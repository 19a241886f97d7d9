import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UnsyncedSqliteReader } from "./reader.ts";
import { openSqlite } from "./sqlite.ts";

/** What `pragma synchronous` tells (sqlite.org/pragma.html#pragma_synchronous). */
const NORMAL = 1;
const FULL = 2;

test("only what can be counted again is written without waiting for the disk; every other commit waits, also after a statement that fails", async () => {
  const folder = await mkdtemp(join(tmpdir(), "nest-reader-"));
  const database = openSqlite(join(folder, "hub.db"));
  const counts = new UnsyncedSqliteReader(database.sqlite);
  const level = async (reader: Pick<typeof counts, "all">) =>
    (await reader.all("select synchronous from pragma_synchronous"))[0]?.synchronous;
  expect([await level(counts), await level(database.reader)]).toEqual([NORMAL, FULL]);
  await expect(counts.all("insert into counters (nothing) values (1)")).rejects.toThrow(/nothing/);
  expect(await level(database.reader)).toBe(FULL);
  await database.close();
  await rm(folder, { recursive: true });
});
