import { NestError } from "@nest/kit";
import type { Client } from "pg";
import { inOrder, statementsFor } from "./ddl.ts";
import { connectPostgres, reasonOf } from "./postgres-client.ts";
import { postgresKinds, postgresTables } from "./postgres-shape.ts";
import { type Loaded, readSchema, rowsOf } from "./read-export.ts";
import { columnValue } from "./rows.ts";
import { type ColumnKind, type DatabaseFacts, quoted, quotedList, type TableFacts } from "./shape.ts";

/** A statement takes at most 65,535 values. */
const VALUES_AT_ONCE = 8000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** Tables in which a hub inserts rows when it creates them. A row that the archive lacks stays. */
const SEEDED = ["migrations", "counters"];
/**
 * A table in which a hub that never worked has rows as well: the first values from its configuration. The archive has its
 * own.
 */
const FIRST_VALUES = "settings";
/** The hub's own lock for migrations: a hub that starts meanwhile waits, and then finds the tables. */
const MIGRATIONS_LOCK = 0x6e657374;

/** A loaded database whose transaction is still open. */
export interface PendingLoad extends AsyncDisposable {
  readonly loaded: Loaded;
  /** Commits the load. Without it the database stays as it was. */
  keep(): Promise<void>;
}

/**
 * Loads an archive's `hub/database/`, which may come from either engine, into the PostgreSQL database of `url` in one
 * transaction. It creates the tables if there are none, and fills the tables of a hub that never worked.
 *
 * @throws NestError `database_not_empty`, `database_in_use` when a hub is connected, `database_not_restored`,
 * `database_unreachable`.
 */
export async function loadPostgres(folder: string, url: string): Promise<PendingLoad> {
  const schema = await readSchema(folder);
  const client = await connectPostgres(url);
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1, hashtext(current_schema()))", [MIGRATIONS_LOCK]);
    await refuseConnectedHubs(client);
    const seeded = await makeTables(client, schema);
    const kinds = await postgresKinds(client);
    let rows = 0;
    for (const table of inOrder(schema.tables))
      rows += await loadTable(client, folder, { table, kinds: kinds.get(table.name) });
    for (const name of seeded)
      await client.query(`insert into ${quoted(name)} select * from ${quoted(seedsOf(name))} on conflict do nothing`);
    await setCounters(client);
    return {
      loaded: { tables: schema.tables.length, rows },
      keep: async () => {
        await client.query("commit").catch((thrown) => {
          throw refused("the end of the transaction", thrown);
        });
      },
      [Symbol.asyncDispose]: () => client.end(),
    };
  } catch (thrown) {
    await client.end().catch(() => {});
    throw refused("its preparation", thrown);
  }
}

async function refuseConnectedHubs(client: Client): Promise<void> {
  const { rows } = await client.query(
    "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name like 'nest%'",
  );
  if (rows.length === 0) return;
  throw new NestError("database_in_use", `${rows.length} connections of hubs are open on the database`, {
    hint: "stop every hub that uses it, then restore",
  });
}

/** Creates the tables, or moves the first rows of existing ones aside; returns the tables of which rows were moved. */
async function makeTables(client: Client, schema: DatabaseFacts): Promise<string[]> {
  await forgetReplicas(client);
  const there = await postgresTables(client);
  if (there.length === 0) {
    for (const statement of statementsFor(schema, "postgresql")) await client.query(statement);
    return [];
  }
  const missing = schema.tables.find(({ name }) => !there.includes(name));
  if (missing !== undefined) {
    throw new NestError("database_not_empty", `the database holds tables, but no ${missing.name}`, {
      hint: "name an empty database",
    });
  }
  for (const name of there) {
    const { rows } = await client.query(`select from ${quoted(name)} limit 1`);
    if (rows.length > 0 && !SEEDED.includes(name) && name !== FIRST_VALUES) {
      throw new NestError("database_not_empty", `the database is in use: ${name} has rows`, {
        hint: "name an empty database; nothing is ever merged or overwritten",
      });
    }
  }
  const seeded = SEEDED.filter((name) => there.includes(name));
  for (const name of seeded) {
    await client.query(
      `create temporary table ${quoted(seedsOf(name))} on commit drop as select * from ${quoted(name)}`,
    );
    await client.query(`delete from ${quoted(name)}`);
  }
  if (there.includes(FIRST_VALUES)) await client.query(`delete from ${quoted(FIRST_VALUES)}`);
  return seeded;
}

/**
 * Deletes the messages and keys of this database's replicas: from now on, the archive's keys are used, which are in its
 * files.
 */
async function forgetReplicas(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
       and left(relname, 8) = 'replica_' and relname <> 'replica_migrations'`,
  );
  for (const { name } of rows) await client.query(`delete from ${quoted(name)}`);
}

function seedsOf(table: string): string {
  return `seeds_of_${table}`;
}

async function loadTable(
  client: Client,
  folder: string,
  to: { readonly table: TableFacts; readonly kinds: ReadonlyMap<string, ColumnKind> | undefined },
): Promise<number> {
  const { table } = to;
  const kinds = table.columns.map((column) => to.kinds?.get(column));
  const absent = table.columns.find((_, at) => kinds[at] === undefined);
  if (absent !== undefined)
    throw new NestError("database_not_restored", `the database's table ${table.name} has no column ${absent}`);
  let batch: (string | Buffer | null)[] = [];
  let bytes = 0;
  let rows = 0;
  const send = async () => {
    if (batch.length > 0) await insert(client, table, batch);
    batch = [];
    bytes = 0;
  };
  for await (const row of rowsOf(folder, table)) {
    rows += 1;
    table.columns.forEach((column, at) => {
      const value = postgresValue(row[column], kinds[at], `${table.name}, row ${rows}`);
      bytes += value?.length ?? 0;
      batch.push(value);
    });
    if (batch.length >= VALUES_AT_ONCE || bytes >= BYTES_AT_ONCE) await send();
  }
  await send();
  return rows;
}

async function insert(client: Client, table: TableFacts, values: readonly unknown[]): Promise<void> {
  const width = table.columns.length;
  const places = Array.from({ length: values.length / width }, (_, row) => {
    return `(${table.columns.map((_column, at) => `$${row * width + at + 1}`).join(", ")})`;
  });
  const text = `insert into ${quoted(table.name)} (${quotedList(table.columns)}) values ${places.join(", ")}`;
  await client.query(text, [...values]).catch((thrown) => {
    throw refused(table.name, thrown);
  });
}

/** Passes values as text, which PostgreSQL parses by the column's type, and bytes as they are. */
function postgresValue(value: unknown, kind: ColumnKind | undefined, where: string): string | Buffer | null {
  let plain: ReturnType<typeof columnValue>;
  try {
    plain = columnValue(value);
  } catch {
    throw new NestError("database_not_restored", `${where}: a value has an unknown form`);
  }
  if (plain === null || Buffer.isBuffer(plain)) return plain;
  if (kind === "boolean") return String(plain === true || plain === 1);
  if (kind === "integer" && typeof plain === "boolean") return String(Number(plain));
  const text = String(plain);
  if (!text.includes("\0")) return text;
  throw new NestError("database_not_restored", `${where}: PostgreSQL keeps no text with a zero byte`);
}

/** Sets each sequence to the largest number that was loaded. */
async function setCounters(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select relname::text as table, attname::text as column,
       pg_get_serial_sequence(quote_ident(relname), attname) as sequence
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
       and pg_get_serial_sequence(quote_ident(relname), attname) is not null`,
  );
  for (const { table, column, sequence } of rows) {
    const last = `select max(${quoted(column)}) as last from ${quoted(table)}`;
    await client.query(`select setval($1, coalesce(last, 1), last is not null) from (${last}) as found`, [sequence]);
  }
}

function refused(where: string, thrown: unknown): unknown {
  if (thrown instanceof NestError || (thrown as NodeJS.ErrnoException).syscall === "open") return thrown;
  return new NestError("database_not_restored", `the database did not take ${where}: ${reasonOf(thrown)}`, {
    hint: "nothing was changed in it",
  });
}
