import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { NestError } from "@nest/kit";
import { statementsFor } from "./ddl.ts";
import { type Loaded, notRestored, readSchema, rowsOf } from "./read-export.ts";
import { columnValue } from "./rows.ts";
import { quoted, quotedList, type TableFacts } from "./shape.ts";

const SQLITE_FULL = 13;

/**
 * Creates an embedded database from an archive's `hub/database/`, which may come from either engine. The file must not exist
 * yet. A newer hub migrates the database when it starts.
 *
 * @throws NestError `database_not_restored` when the export is inconsistent, `disk_full`.
 */
export async function loadSqlite(folder: string, file: string): Promise<Loaded> {
  const schema = await readSchema(folder);
  const statements = schema.engine === "sqlite" ? schema.statements.map(onlyMakes) : statementsFor(schema, "sqlite");
  await (await open(file, "wx", 0o600)).close();
  const sqlite = new DatabaseSync(file);
  let rows = 0;
  try {
    sqlite.exec("pragma journal_mode = wal; pragma foreign_keys = off; begin immediate");
    // Prepared, not executed with `exec`: of a text with several statements, only the first is run.
    for (const statement of statements) sqlite.prepare(statement).run();
    for (const table of schema.tables) rows += await loadTable(sqlite, folder, table);
    const broken = sqlite.prepare("select count(*) as broken from pragma_foreign_key_check").get()?.broken;
    if (Number(broken) > 0)
      throw new NestError("database_not_restored", `${broken} rows refer to rows that do not exist`);
    sqlite.exec("commit; pragma wal_checkpoint(truncate)");
  } catch (thrown) {
    if ((thrown as { errcode?: number }).errcode === SQLITE_FULL)
      throw new NestError("disk_full", "the disk is full", { hint: "make room and start again", cause: thrown });
    throw notRestored("the database was not restored", thrown);
  } finally {
    sqlite.close();
  }
  return { tables: schema.tables.length, rows };
}

async function loadTable(sqlite: DatabaseSync, folder: string, table: TableFacts): Promise<number> {
  const places = table.columns.map(() => "?").join(", ");
  const insert = sqlite.prepare(`insert into ${quoted(table.name)} (${quotedList(table.columns)}) values (${places})`);
  let rows = 0;
  // The schema may insert rows of its own; only the archive's rows must remain.
  sqlite.exec(`delete from ${quoted(table.name)}`);
  for await (const row of rowsOf(folder, table)) {
    insert.run(...table.columns.map((column) => sqliteValue(row[column])));
    rows += 1;
  }
  return rows;
}

function sqliteValue(value: unknown): string | number | bigint | Buffer | null {
  const plain = columnValue(value);
  return typeof plain === "boolean" ? Number(plain) : plain;
}

/**
 * Accepts only statements that create empty tables and indexes, because anybody with the key can make an archive. A table
 * made `as select …` could fill the disk before its first row is loaded, and a trigger would act on every row.
 */
function onlyMakes(statement: string): string {
  const makes = /^\s*create\s+(table|index|unique\s+index)\b/i.test(statement);
  if (makes && !/\bas\s*\(?\s*(select|with|values)\b/i.test(statement)) return statement;
  throw new NestError("database_not_restored", "schema.json holds a statement that makes no table or index");
}
