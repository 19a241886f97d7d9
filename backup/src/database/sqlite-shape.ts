import type { DatabaseSync } from "node:sqlite";
import {
  type ColumnKind,
  type DatabaseFacts,
  type IndexShape,
  quoted,
  type TableFacts,
  type TableShape,
} from "./shape.ts";

type Row = Record<string, unknown>;

/** Describes an embedded database and counts its rows: the exact statements for SQLite, and shapes for other engines. */
export function sqliteFacts(sqlite: DatabaseSync): DatabaseFacts {
  const made = sqlite
    .prepare(
      "select type, name, tbl_name, sql from sqlite_master where name not like 'sqlite_%' and sql is not null order by rowid",
    )
    .all() as { type: string; name: string; tbl_name: string; sql: string }[];
  const tables: TableFacts[] = made
    .filter(({ type }) => type === "table")
    .map(({ name }) => {
      const shape = shapeOf(sqlite, name);
      const rows = Number(sqlite.prepare(`select count(*) as rows from ${quoted(name)}`).get()?.rows);
      return { name, columns: shape.columns.map((column) => column.name), rows, shape };
    });
  const hasSteps = tables.some(({ name }) => name === "migrations");
  const last = hasSteps ? sqlite.prepare("select coalesce(max(id), 0) as last from migrations").get()?.last : 0;
  const indexes = made
    .filter(({ type }) => type === "index")
    .flatMap(({ name, tbl_name, sql }) => indexOf(sqlite, { name, table: tbl_name, sql }));
  return { engine: "sqlite", migrations: Number(last), tables, indexes, statements: made.map(({ sql }) => sql) };
}

/** The order in which to read a table's rows: the order of insertion if the table has row ids, else the primary key. */
export function sqliteOrder(sqlite: DatabaseSync, table: string): string {
  const facts = sqlite.prepare("select wr from pragma_table_list where schema = 'main' and name = ?").get(table);
  if (Number(facts?.wr) === 0) return "rowid";
  const columns = sqlite.prepare("select name from pragma_table_info(?) where pk > 0 order by pk").all(table);
  return columns.map(({ name }) => quoted(String(name))).join(", ");
}

function shapeOf(sqlite: DatabaseSync, table: string): TableShape {
  const columns = sqlite.prepare("select * from pragma_table_info(?) order by cid").all(table) as Row[];
  const keys = columns.filter(({ pk }) => Number(pk) > 0).sort((one, other) => Number(one.pk) - Number(other.pk));
  const isCounting = (column: Row) =>
    keys.length === 1 && column === keys[0] && String(column.type).toLowerCase() === "integer";
  return {
    columns: columns.map((column) => ({
      name: String(column.name),
      kind: kindOf(String(column.type)),
      declared: String(column.type),
      nullable: Number(column.notnull) === 0 && Number(column.pk) === 0,
      counts: isCounting(column),
      ...(column.dflt_value === null ? {} : { default: String(column.dflt_value) }),
    })),
    primary_key: keys.map(({ name }) => String(name)),
    unique: uniqueIn(sqlite, table),
    foreign_keys: foreignKeysOf(sqlite, table),
  };
}

function uniqueIn(sqlite: DatabaseSync, table: string): string[][] {
  const indexes = sqlite
    .prepare("select name from pragma_index_list(?) where origin = 'u' order by seq desc")
    .all(table);
  return indexes.map(({ name }) => columnsOfIndex(sqlite, String(name)) ?? []).filter(({ length }) => length > 0);
}

function foreignKeysOf(sqlite: DatabaseSync, table: string): TableShape["foreign_keys"] {
  const rows = sqlite.prepare("select * from pragma_foreign_key_list(?) order by id, seq").all(table) as Row[];
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((columnsOfKey) => {
    const other = String(columnsOfKey[0]?.table);
    const own = sqlite.prepare("select name from pragma_table_info(?) where pk > 0 order by pk").all(other);
    return {
      table: other,
      columns: columnsOfKey.map(({ from }) => String(from)),
      references: columnsOfKey.map(({ to }, at) => String(to ?? own[at]?.name)),
    };
  });
}

function indexOf(
  sqlite: DatabaseSync,
  index: { readonly name: string; readonly table: string; readonly sql: string },
): IndexShape[] {
  const columns = columnsOfIndex(sqlite, index.name);
  // An index on an expression is left out: it only serves speed, and the hub creates it again.
  if (columns === undefined) return [];
  const unique = /^\s*create\s+unique\s/i.test(index.sql);
  const where = /\)\s*where\s+([\s\S]+)$/i.exec(index.sql)?.[1]?.trim();
  return [{ name: index.name, table: index.table, columns, unique, ...(where === undefined ? {} : { where }) }];
}

function columnsOfIndex(sqlite: DatabaseSync, index: string): string[] | undefined {
  const columns = sqlite.prepare("select name from pragma_index_info(?) order by seqno").all(index);
  return columns.some(({ name }) => name === null) ? undefined : columns.map(({ name }) => String(name));
}

/** SQLite's rules of type affinity, except for two words that it treats as numbers and this tool does not. */
function kindOf(declared: string): ColumnKind {
  const word = declared.toUpperCase();
  if (word.includes("BOOL")) return "boolean";
  if (word.includes("JSON")) return "json";
  if (word.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(word)) return "text";
  if (word.includes("BLOB")) return "bytes";
  return /REAL|FLOA|DOUB|NUM|DEC/.test(word) ? "real" : "text";
}
