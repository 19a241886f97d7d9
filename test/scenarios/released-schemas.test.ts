import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type HubDatabase, openPostgres, openSqlite, openStorage } from "@nest/dispatch";
import { Secret, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { durations } from "@nest/protocol";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

// Databases of every earlier release are migrated by this one. A fixture is never regenerated: a new schema adds a fixture.

const FIXTURES = join(import.meta.dirname, "../fixtures");
const fixtures = await readdir(FIXTURES);
const numberOf = (file: string) => Number(/^hub-schema-(\d+)\./.exec(file)?.[1]);
/** Databases of before the first release are at the same number as its first schema. */
const FIRST = 7;

let postgres: RealPostgres | undefined;
beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

/** What every release's database holds: ada has done one task and failed another, bob holds the third. */
async function expectWhatItHeld(database: HubDatabase): Promise<void> {
  const clock = new VirtualClock();
  const storage = await openStorage(database, { times: durations, clock, random: seededRandom(1), log: silentLog() });
  try {
    const { contributors, leases, items, gen, settings } = await storage.load();
    expect(
      contributors.map(({ login, tier, completed, failed, grants }) => [login, tier, completed, failed, grants]),
    ).toEqual(
      expect.arrayContaining([
        ["ada", "contributor", 1, 1, 2],
        ["bob", "newcomer", 0, 0, 1],
      ]),
    );
    expect(leases).toMatchObject([{ gen: 3, key: "acme/one#3", identity: expect.any(String), connection: undefined }]);
    expect(items.map(({ key, holdReason, failures }) => [key, holdReason, failures]).sort()).toEqual([
      ["acme/one#1", "no_work_needed", 0],
      ["acme/one#2", "failed", 1],
    ]);
    expect(gen).toBe(3);
    expect(settings?.get("governor")).toMatchObject({ contribute_announcement: "hello" });
    const told = await storage.reader.all("select action, detail from activity order by id");
    expect(told).toContainEqual({ action: "failed", detail: "no disk" });
  } finally {
    await storage.close();
  }
}

/** Every table's columns, sorted: name, type, whether it may be empty; and every index's name. */
async function shapeOf(database: HubDatabase): Promise<unknown[]> {
  const sql =
    database.kind === "sqlite"
      ? `select tables.name as in_table, columns.name, columns.type, columns."notnull" as needed
         from sqlite_schema as tables join pragma_table_info(tables.name) as columns
         where tables.type = 'table' order by 1, 2`
      : `select table_name as in_table, column_name as name, data_type as type, is_nullable as needed
         from information_schema.columns where table_schema = current_schema() order by 1, 2`;
  const indexes =
    database.kind === "sqlite"
      ? "select name from sqlite_schema where type = 'index' and sql is not null order by 1"
      : "select indexname as name from pg_indexes where schemaname = current_schema() order by 1";
  const rows = [...(await database.reader.all(sql)), ...(await database.reader.all(indexes))];
  return rows.map((row) => ({ ...row }));
}

test.each(fixtures.filter((file) => file.endsWith(".sqlite")))(
  "%s is brought up to date and holds what it held",
  async (file) => {
    await using folder = await FolderHere.make("schema");
    await copyFile(join(FIXTURES, file), join(folder.path, "hub.sqlite"));
    const migrated = openSqlite(join(folder.path, "hub.sqlite"));
    const fresh = openSqlite(join(folder.path, "fresh/hub.sqlite"));
    expect(await shapeOf(migrated)).toEqual(await shapeOf(fresh));
    await fresh.close();
    await expectWhatItHeld(migrated);
  },
);

test.for(fixtures.filter((file) => file.endsWith(".sql")))(
  "%s is brought up to date and holds what it held",
  async (file, { skip }) => {
    if (postgres === undefined) return skip("no PostgreSQL server could be started");
    const url = await postgres.database();
    const client = new Client(url);
    await client.connect();
    await client.query(await readFile(join(FIXTURES, file), "utf8"));
    await client.end();
    const migrated = await openPostgres(new Secret(url));
    const fresh = await openPostgres(new Secret(await postgres.database()));
    expect(await shapeOf(migrated)).toEqual(await shapeOf(fresh));
    await fresh.close();
    await expectWhatItHeld(migrated);
  },
);

test("every released schema has a fixture on either engine", async () => {
  await using folder = await FolderHere.make("schema");
  const fresh = openSqlite(join(folder.path, "hub.sqlite"));
  const steps = await fresh.reader.all("select id from migrations order by id");
  await fresh.close();
  const released = steps.map(({ id }) => Number(id));
  expect(released[0]).toBe(FIRST);
  for (const ending of [".sqlite", ".sql"])
    expect(
      fixtures
        .filter((file) => file.endsWith(ending))
        .map(numberOf)
        .sort((a, b) => a - b),
    ).toEqual(released);
});

test("a database of a newer release, or of before the first release, is refused and not changed", async () => {
  await using folder = await FolderHere.make("schema");
  const file = join(folder.path, "hub.sqlite");
  for (const [step, code] of [
    [1_000_000, "database_newer"],
    [FIRST - 1, "database_older"],
  ] as const) {
    const database = openSqlite(file);
    database.sqlite.exec(`delete from migrations; insert into migrations values (${step}, 'another')`);
    await database.close();
    expect(() => openSqlite(file)).toThrow(expect.objectContaining({ code }));
    await copyFile(join(FIXTURES, "hub-schema-7.sqlite"), file);
  }
});
