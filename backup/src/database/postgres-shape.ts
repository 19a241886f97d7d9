import type { Client } from "pg";
import { statementsFor } from "./ddl.ts";
import {
  type ColumnKind,
  type ColumnShape,
  type DatabaseFacts,
  type IndexShape,
  quoted,
  type TableFacts,
  type TableShape,
} from "./shape.ts";

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly is_null: boolean;
  readonly identity: string;
  readonly default: string | null;
}

interface ConstraintRow {
  readonly table: string;
  readonly kind: string;
  readonly columns: string;
  readonly other: string | null;
  readonly references: string | null;
}

interface IndexRow {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  readonly is_unique: boolean;
  readonly predicate: string | null;
}

/**
 * The tables of the connection's own schema, which belongs to one hub. Tables of messages between replicas are left out: they
 * are not part of the hub's data.
 */
const OURS =
  "relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and left(pg_class.relname, 8) <> 'replica_'";

export async function postgresTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where ${OURS} order by relname`,
  );
  return rows.map(({ name }) => name);
}

/** Describes a PostgreSQL schema and counts its rows. */
export async function postgresFacts(client: Client): Promise<DatabaseFacts> {
  const columns = Map.groupBy(await columnsOf(client), ({ table }) => table);
  const constraints = Map.groupBy(await constraintsOf(client), ({ table }) => table);
  const tables: TableFacts[] = [];
  for (const name of await postgresTables(client)) {
    const shape = shapeOf(columns.get(name) ?? [], constraints.get(name) ?? []);
    const counted = await client.query<{ rows: bigint }>(`select count(*) as rows from ${quoted(name)}`);
    const rows = Number(counted.rows[0]?.rows);
    tables.push({ name, columns: shape.columns.map((column) => column.name), rows, shape });
  }
  const indexes = await indexesOf(client);
  const migrations = await lastStep(client, tables);
  const facts: DatabaseFacts = { engine: "postgresql", migrations, tables, indexes, statements: [] };
  return { ...facts, statements: statementsFor(facts, "postgresql") };
}

/** The kind of each column of an existing table. */
export async function postgresKinds(client: Client): Promise<ReadonlyMap<string, ReadonlyMap<string, ColumnKind>>> {
  const columns = Map.groupBy(await columnsOf(client), ({ table }) => table);
  const kinds = (rows: ColumnRow[]) => new Map(rows.map(({ name, type }) => [name, kindOf(type)] as const));
  return new Map([...columns].map(([table, rows]) => [table, kinds(rows)]));
}

async function lastStep(client: Client, tables: readonly TableFacts[]): Promise<number> {
  if (!tables.some(({ name }) => name === "migrations")) return 0;
  const { rows } = await client.query<{ last: bigint }>("select coalesce(max(id), 0)::bigint as last from migrations");
  return Number(rows[0]?.last);
}

async function columnsOf(client: Client): Promise<ColumnRow[]> {
  const { rows } = await client.query<ColumnRow>(
    `select relname::text as table, attname::text as name, format_type(atttypid, atttypmod) as type,
       not attnotnull as is_null, attidentity::text as identity, pg_get_expr(adbin, adrelid) as default
     from pg_attribute join pg_class on pg_class.oid = attrelid
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where ${OURS} and attnum > 0 and not attisdropped and attgenerated = ''
     order by relname, attnum`,
  );
  return rows;
}

async function constraintsOf(client: Client): Promise<ConstraintRow[]> {
  const names = (relation: string, keys: string) =>
    `(select json_agg(attname order by place) from unnest(${keys}) with ordinality as key (number, place)
      join pg_attribute on attrelid = ${relation} and attnum = number)::text`;
  const { rows } = await client.query<ConstraintRow>(
    `select relname::text as table, contype::text as kind, ${names("conrelid", "conkey")} as columns,
       (select relname::text from pg_class as other where other.oid = confrelid) as other,
       ${names("confrelid", "confkey")} as references
     from pg_constraint join pg_class on pg_class.oid = conrelid
     where ${OURS} and contype in ('p', 'u', 'f') order by relname, conname`,
  );
  return rows;
}

async function indexesOf(client: Client): Promise<IndexShape[]> {
  const { rows } = await client.query<IndexRow>(
    `select own.relname::text as name, pg_class.relname::text as table, indisunique as is_unique,
       (select json_agg(pg_get_indexdef(indexrelid, place::int, false) order by place)
        from generate_series(1, indnkeyatts) as place)::text as columns,
       pg_get_expr(indpred, indrelid) as predicate
     from pg_index join pg_class on pg_class.oid = indrelid join pg_class as own on own.oid = indexrelid
     where pg_class.${OURS.replace(" and relkind", " and pg_class.relkind")}
       and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
     order by own.relname`,
  );
  return rows.flatMap((row) => {
    const columns = (JSON.parse(row.columns) as string[]).map((text) => text.replace(/^"(.*)"$/, "$1"));
    // An index on an expression is left out: it only serves speed, and the hub creates it again.
    if (columns.some((text) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(text))) return [];
    const where = row.predicate === null ? {} : { where: row.predicate };
    return [{ name: row.name, table: row.table, columns, unique: row.is_unique, ...where }];
  });
}

function shapeOf(columns: readonly ColumnRow[], constraints: readonly ConstraintRow[]): TableShape {
  const listed = (kind: string) => constraints.filter((row) => row.kind === kind);
  const names = (text: string | null) => JSON.parse(text ?? "[]") as string[];
  return {
    columns: columns.map(columnOf),
    primary_key: names(listed("p")[0]?.columns ?? null),
    unique: listed("u").map((row) => names(row.columns)),
    foreign_keys: listed("f").map((row) => ({
      columns: names(row.columns),
      table: row.other ?? "",
      references: names(row.references),
    })),
  };
}

function columnOf(row: ColumnRow): ColumnShape {
  const isSerial = row.default?.startsWith("nextval(") === true;
  const fallback = row.default === null || isSerial ? {} : { default: row.default };
  return {
    name: row.name,
    kind: kindOf(row.type),
    declared: row.type,
    nullable: row.is_null,
    counts: row.identity !== "" || isSerial,
    ...fallback,
  };
}

function kindOf(type: string): ColumnKind {
  if (/^(smallint|integer|bigint|oid)$/.test(type)) return "integer";
  if (/^(real|double precision)$/.test(type)) return "real";
  if (type === "bytea") return "bytes";
  if (type === "boolean") return "boolean";
  return /^jsonb?$/.test(type) ? "json" : "text";
}
