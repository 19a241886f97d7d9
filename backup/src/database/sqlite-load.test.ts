import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSqlite } from "./sqlite-load.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nest-load-"));
  mkdirSync(join(home, "export"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ROWS = '{"id":1,"name":"one"}\n{"id":2,"name":null}\n';
const TABLE = { name: "things", columns: ["id", "name"], rows: 2 };
const SCHEMA = {
  engine: "sqlite",
  migrations: 1,
  tables: [TABLE],
  statements: ["create table things (id integer primary key, name text)"],
};

const ENDLESS = "create table things as with recursive c(n) as (select 1 union all select n + 1 from c)";

/** Loads a valid export with the given changes, and returns the resulting error. */
async function loaded(schema: unknown, rows = ROWS): Promise<{ code: string; message: string }> {
  writeFileSync(join(home, "export/schema.json"), typeof schema === "string" ? schema : JSON.stringify(schema));
  writeFileSync(join(home, "export/things.jsonl"), rows);
  return loadSqlite(join(home, "export"), join(home, "hub.sqlite")).then(
    () => ({ code: "ok", message: "" }),
    (thrown: { code: string; message: string }) => thrown,
  );
}

test("an export of the first releases, without shapes, is loaded on the engine that it comes from", async () => {
  expect(await loaded(SCHEMA)).toMatchObject({ code: "ok" });
  const sqlite = new DatabaseSync(join(home, "hub.sqlite"), { readOnly: true });
  expect(
    sqlite
      .prepare("select name from things order by id")
      .all()
      .map(({ name }) => name),
  ).toEqual(["one", null]);
  sqlite.close();
});

test("and not on another", async () => {
  expect(await loaded({ ...SCHEMA, engine: "postgresql" })).toMatchObject({
    code: "database_not_restored",
    message: "the archive does not say how to make things on another database",
  });
});

test.each([
  ["a table named like a path", { ...SCHEMA, tables: [{ ...TABLE, name: "../../etc/passwd" }] }, ROWS],
  ["a column with a quote", { ...SCHEMA, tables: [{ ...TABLE, columns: ['id"; drop table things; --'] }] }, ROWS],
  ["an unknown engine", { ...SCHEMA, engine: "oracle" }, ROWS],
  ["a schema that is not JSON", "{", ROWS],
  ["a statement that makes nothing", { ...SCHEMA, statements: ["attach database '/tmp/x' as x"] }, ROWS],
  ["a table that fills itself", { ...SCHEMA, statements: [`${ENDLESS} select n from c`] }, ROWS],
  ["the same in brackets", { ...SCHEMA, statements: ["create table things as (select 1 as id, 2 as name)"] }, ROWS],
  ["a view", { ...SCHEMA, statements: ["create view things as select 1 as id"] }, ROWS],
  [
    "a trigger",
    { ...SCHEMA, statements: [...SCHEMA.statements, "create trigger t after insert on things begin select 1; end"] },
    ROWS,
  ],
  ["a statement that SQLite does not take", { ...SCHEMA, statements: ["create table ("] }, ROWS],
  ["a row too few", SCHEMA, '{"id":1}\n'],
  ["a row too many", SCHEMA, `${ROWS}{"id":3}\n`],
  ["a line that is no row", SCHEMA, '{"id":1}\n[oops\n'],
  ["a value of an unknown form", SCHEMA, '{"id":1}\n{"id":2,"name":{"$date":"x"}}\n'],
  ["the same row twice", SCHEMA, '{"id":1}\n{"id":1}\n'],
])("%s is refused: database_not_restored, and no internal error", async (_what, schema, rows) => {
  expect(await loaded(schema, rows)).toMatchObject({ code: "database_not_restored" });
});

test("of a text with several statements only the first is run", async () => {
  const elsewhere = join(home, "elsewhere.sqlite");
  const [make = ""] = SCHEMA.statements;
  const statements = [`${make}; attach database '${elsewhere}' as other; create table other.planted (x)`];
  expect(await loaded({ ...SCHEMA, statements })).toMatchObject({ code: "ok" });
  expect(existsSync(elsewhere)).toBe(false);
});

test("rows that refer to rows that do not exist are refused", async () => {
  const statements = ["create table things (id integer primary key, name text references things (id))"];
  const told = await loaded({ ...SCHEMA, statements }, '{"id":1,"name":null}\n{"id":2,"name":"99"}\n');
  expect(told.message).toContain("1 rows refer to rows that do not exist");
});
