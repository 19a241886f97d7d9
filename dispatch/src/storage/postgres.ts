import { NestError, type Secret, sentenceOf } from "@nest/kit";
import { Client, type ClientConfig, Pool } from "pg";
import type { Row } from "./columns.ts";
import { type Migration, migrationsFor, newestOf } from "./migrations.ts";
import type { Reader } from "./reader.ts";
import { replicaMigrations } from "./replica-migrations.ts";
import { writeBatchFunction } from "./write-batch.ts";

/** The hub's advisory locks. Each is taken per schema, so that several hubs can share one database. */
export const locks = { migrations: 0x6e657374, batches: 0x6e657375, leader: 0x6e657376 } as const;

/** A replica that has sent no heartbeat for this long is dead, and its leases become *away*. */
export const GONE_AFTER_SECONDS = 10;

/** How long batches are kept for the other replicas; one that missed more reads everything again. */
export const BATCHES_KEPT_FOR = "1 minute";

const CONNECT_TIMEOUT_MS = 5000;
/** Every statement of the hub is short; one that waits longer for a lock waits for a replica that hangs. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** PostgreSQL ends a transaction that is idle for this long and frees its lock: its replica hangs. */
const IDLE_IN_TRANSACTION_MS = 3000;
const MOST_READERS = 6;

/** A PostgreSQL database that hub replicas share. */
export interface PostgresDatabase {
  readonly kind: "postgres";
  readonly reader: Reader;
  readonly pool: Pool;
  /** Opens a separate connection: for transactions, for LISTEN, for locks that last as long as the connection. */
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/**
 * Opens the shared database and creates or migrates it. One replica does this while the others wait.
 *
 * @throws NestError `database_unreachable`, `database_newer` when a newer release wrote it.
 */
export async function openPostgres(url: Secret): Promise<PostgresDatabase> {
  const config: ClientConfig = {
    connectionString: url.reveal(),
    application_name: "nest-hub",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  };
  const connect = async (): Promise<Client> => {
    const client = new Client(config);
    // Without a listener, an error of an idle connection would end the process. The next query reports it.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  await migrate(connect);
  const pool = new Pool({ ...config, max: MOST_READERS, idleTimeoutMillis: 30_000 });
  pool.on("error", () => undefined);
  return { kind: "postgres", reader: readerOf(pool), pool, connect, close: () => pool.end() };
}

/** Makes a reader of a pool or a connection. */
export function readerOf(asked: Pick<Client, "query">): Reader {
  return {
    async all(sql, ...values) {
      const { rows } = await asked.query<Row>(sql.replace(/\?(\d)/g, "$$$1"), [...values]);
      return rows;
    },
  };
}

async function migrate(connect: () => Promise<Client>): Promise<void> {
  const client = await connect().catch((cause) => {
    throw new NestError("database_unreachable", `the database cannot be reached: ${sentenceOf(cause)}`, {
      hint: "check NEST_DATABASE_URL, that PostgreSQL runs, and that this user may log in",
      cause,
    });
  });
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1, hashtext(current_schema()))", [locks.migrations]);
    await step(client, "migrations", migrationsFor("postgres"));
    await step(client, "replica_migrations", replicaMigrations);
    // With more columns this is another function, beside that of an older release whose replicas may still run.
    await client.query(writeBatchFunction());
    // A restored database has no counter of batches.
    await client.query("insert into counters (name, value) values ('batch', 0) on conflict do nothing");
    await client.query("commit");
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function step(client: Client, table: string, steps: readonly Migration[]): Promise<void> {
  await client.query(`create table if not exists ${table} (id bigint primary key, name text not null)`);
  const { rows } = await client.query<Row>(`select coalesce(max(id), 0) as last from ${table}`);
  for (const { id, name, sql } of newestOf(steps, Number(rows[0]?.last ?? 0))) {
    await client.query(sql);
    await client.query(`insert into ${table} (id, name) values ($1, $2)`, [id, name]);
  }
}
