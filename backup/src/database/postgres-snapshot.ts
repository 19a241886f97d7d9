import { NestError } from "@nest/kit";
import type { Client } from "pg";
import type { DatabaseSnapshot } from "./export.ts";
import { connectPostgres, reasonOf } from "./postgres-client.ts";
import { postgresFacts } from "./postgres-shape.ts";
import type { Row } from "./rows.ts";
import { quoted, quotedList, type TableFacts } from "./shape.ts";

/** Rows fetched at once; a cursor leaves the rest in the database. */
const ROWS_AT_ONCE = 1000;

/**
 * A snapshot of the hub's PostgreSQL database while hubs continue to write: one read-only transaction that sees the database
 * as it was when it began.
 *
 * @throws NestError `database_unreachable`, `database_unreadable`.
 */
export async function snapshotPostgres(url: string): Promise<DatabaseSnapshot> {
  const client = await connectPostgres(url);
  try {
    await client.query("begin isolation level repeatable read read only");
    const facts = await postgresFacts(client);
    if (facts.tables.length === 0) throw new NestError("database_unreadable", "the database holds no table");
    const byName = new Map(facts.tables.map((table) => [table.name, table]));
    return {
      facts,
      rows: (name) => rowsOf(client, byName.get(name)),
      [Symbol.asyncDispose]: () => client.end(),
    };
  } catch (thrown) {
    await client.end().catch(() => {});
    throw unreadable(thrown);
  }
}

async function* rowsOf(client: Client, table: TableFacts | undefined): AsyncGenerator<Row> {
  if (table === undefined) return;
  const key = table.shape?.primary_key ?? [];
  const order = key.length > 0 ? quotedList(key) : quotedList(table.columns);
  const select = `select ${quotedList(table.columns)} from ${quoted(table.name)} order by ${order}`;
  try {
    await client.query(`declare rows_of no scroll cursor for ${select}`);
    for (;;) {
      const { rows } = await client.query<Record<string, unknown>>(`fetch ${ROWS_AT_ONCE} from rows_of`);
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) break;
    }
    await client.query("close rows_of");
  } catch (thrown) {
    throw unreadable(thrown);
  }
}

function unreadable(thrown: unknown): unknown {
  if (thrown instanceof NestError) return thrown;
  return new NestError("database_unreadable", `the database of NEST_DATABASE_URL cannot be read: ${reasonOf(thrown)}`);
}
