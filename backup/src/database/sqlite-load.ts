import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { NestError } from "@nest/kit";
import { z } from "zod";
import { databaseValue, type Row } from "./rows.ts";

const Schema = z.looseObject({
  engine: z.string(),
  migrations: z.number(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number() })),
  statements: z.array(z.string()),
});

/**
 * Makes an embedded database of an archive's `hub/database/`, in a file that must not be there yet. A hub that boots on it brings
 * it up to date where it is older.
 *
 * @throws NestError `database_not_restored` when the export was made by another engine or does not add up.
 */
export async function loadSqlite(
  folder: string,
  file: string,
): Promise<{ readonly tables: number; readonly rows: number }> {
  const schema = Schema.parse(JSON.parse(await readFile(join(folder, "schema.json"), "utf8")));
  if (schema.engine !== "sqlite") {
    throw new NestError(
      "database_not_restored",
      `the archive's database was ${schema.engine}, and the target is SQLite`,
      {
        hint: "set NEST_DATABASE_URL to an empty database of the same kind",
      },
    );
  }
  await (await open(file, "wx", 0o600)).close();
  const sqlite = new DatabaseSync(file);
  let rows = 0;
  try {
    sqlite.exec("pragma journal_mode = wal; pragma foreign_keys = off; begin immediate");
    for (const statement of schema.statements) sqlite.exec(onlyMakes(statement));
    for (const table of schema.tables) rows += await loadTable(sqlite, folder, table);
    const broken = sqlite.prepare("select count(*) as broken from pragma_foreign_key_check").get()?.broken;
    if (Number(broken) > 0)
      throw new NestError("database_not_restored", `${broken} rows refer to rows that are not there`);
    sqlite.exec("commit; pragma wal_checkpoint(truncate)");
  } finally {
    sqlite.close();
  }
  return { tables: schema.tables.length, rows };
}

async function loadTable(
  sqlite: DatabaseSync,
  folder: string,
  table: z.infer<typeof Schema>["tables"][number],
): Promise<number> {
  const columns = table.columns.map(quoted).join(", ");
  const places = table.columns.map(() => "?").join(", ");
  const insert = sqlite.prepare(`insert into ${quoted(table.name)} (${columns}) values (${places})`);
  let rows = 0;
  // Schemas may begin with rows of their own; the archive's count.
  sqlite.exec(`delete from ${quoted(table.name)}`);
  const lines = createInterface({
    input: createReadStream(join(folder, `${table.name}.jsonl`)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    const row = JSON.parse(line) as Row;
    insert.run(...table.columns.map((column) => databaseValue(row[column])));
    rows += 1;
  }
  if (rows === table.rows) return rows;
  throw new NestError("database_not_restored", `${table.name} has ${rows} rows, schema.json says ${table.rows}`);
}

/** An archive is sealed by whoever has the key; its statements may still make tables and nothing else. */
function onlyMakes(statement: string): string {
  if (/^\s*create\s+(table|index|unique\s+index|view|trigger)\b/i.test(statement)) return statement;
  throw new NestError("database_not_restored", "schema.json holds a statement that makes no table or index");
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
