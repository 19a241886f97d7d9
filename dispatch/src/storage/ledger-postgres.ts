import type { Durations } from "@nest/protocol";
import type { Client } from "pg";
import { type BatchRecord, batchOfRecord, recordOf } from "../leases/batch-record.ts";
import type { Changes, LedgerPast, LedgerRows } from "../leases/changes.ts";
import { replicaOf } from "../leases/connection.ts";
import type { BatchResult, LedgerStore, ReplicaUpdate } from "../leases/ledger-store.ts";
import { batchColumnsOf, columnNames } from "./batch-columns.ts";
import { rareRowsOf } from "./batch-rows.ts";
import type { Row } from "./columns.ts";
import { BATCHES_KEPT_FOR, GONE_AFTER_SECONDS, locks, type PostgresDatabase, readerOf } from "./postgres.ts";
import { jsonOf } from "./postgres-text.ts";
import { RecentGrants } from "./recent-grants.ts";
import { readLedger } from "./rows.ts";

export interface PostgresLedgerDeps {
  readonly database: PostgresDatabase;
  /** This replica's id: eight hexadecimal digits. */
  readonly replica: string;
  readonly times: Durations;
  readonly now: () => number;
}

/**
 * Stores the ledger in a database that replicas share. Each batch is one transaction under one lock: it first applies the
 * batches that other replicas wrote since, decides with the same ledger and decider, and writes. So replicas decide one after
 * the other, each on the newest state, and a replica's memory is never the authority.
 */
export class PostgresLedger implements LedgerStore, LedgerPast {
  readonly #deps: PostgresLedgerDeps;
  readonly #grants: RecentGrants;
  /** Pull requests that the current batch asks about and that were counted before. */
  #counted = new Set<string>();
  #client: Client | undefined;
  /** The number of the newest batch that the ledger contains. */
  #seen = -1;
  #closed = false;

  constructor(deps: PostgresLedgerDeps) {
    this.#deps = deps;
    this.#grants = new RecentGrants(deps.times.dayWindowMs);
  }

  /** Reads the current state; later batches arrive as updates. */
  async load(): Promise<LedgerRows> {
    const client = await this.#connected();
    await client.query("begin");
    try {
      await client.query(`select pg_advisory_xact_lock(${locks.batches}, hashtext(current_schema()))`);
      const { rows, newest } = await this.#readAll(client);
      this.#seen = newest;
      return rows;
    } finally {
      await client.query("rollback");
    }
  }

  assignedAt(contributorId: string, nth: number): number | undefined {
    return this.#grants.at(contributorId, nth);
  }

  isCounted(pull: string): boolean {
    return this.#counted.has(pull);
  }

  async transact(
    decide: (update: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): Promise<void> {
    const client = await this.#connected();
    try {
      await this.#transact(client, decide, named);
    } catch (thrown) {
      // Whether the batch was committed is unknown; a new connection finds out from the number of the newest batch.
      this.#drop(client);
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #transact(
    client: Client,
    decide: (update: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): Promise<void> {
    const { replica } = this.#deps;
    const answers = (await client.query(`
      begin;
      select pg_advisory_xact_lock(${locks.batches}, hashtext(current_schema()));
      select value from counters where name = 'batch';
      select record from replica_batches where number > ${this.#seen} order by number;
      select 1 from replica_members where id <> '${replica}' and seen_at > now() - interval '${BATCHES_KEPT_FOR}' limit 1`)) as unknown as {
      rows: Row[];
    }[];
    const [, , counter, batches, members] = answers;
    const newest = Number(counter?.rows[0]?.value);
    const records = (batches?.rows ?? []).map((row) => row.record as BatchRecord);
    const others = (members?.rows.length ?? 0) > 0;
    const update = await this.#updateFor(client, newest, records);
    this.#counted = await countedOf(client, named);
    if (update?.kind === "batches") for (const { changes } of update.batches) this.#remember(changes);
    const result = decide(update);
    // Only now does the ledger contain the update: a connection lost while reading it must not hide it for ever.
    this.#seen = newest;
    if (result === undefined) {
      // Everything was read anew because this replica's row was gone: the new row is kept.
      await client.query(update?.kind === "everything" ? "commit" : "rollback");
      return;
    }
    const { changes } = result;
    const rare = rareRowsOf(changes);
    const values = [
      replica,
      others ? jsonOf(recordOf(result, replica)) : null,
      changes.gen ?? null,
      rare === undefined ? null : jsonOf(rare),
      ...batchColumnsOf(changes),
    ];
    // Both statements are queued together, so that the commit follows the write at once: other replicas wait for the lock.
    const [{ rows }] = await Promise.all([client.query<Row>({ ...WRITE, values }), client.query("commit")]);
    this.#seen = Number(rows[0]?.number);
    this.#remember(changes);
  }

  async #updateFor(
    client: Client,
    newest: number,
    records: readonly BatchRecord[],
  ): Promise<ReplicaUpdate | undefined> {
    const missed = newest - this.#seen;
    if (missed === 0) return undefined;
    if (records.length < missed) {
      await this.#rejoin(client);
      return { kind: "everything", rows: (await this.#readAll(client)).rows };
    }
    return { kind: "batches", batches: records.map(batchOfRecord) };
  }

  /**
   * The other replicas consider this one dead and no longer keep their batches for it. Registers it again, so that they keep
   * them from this transaction on.
   */
  async #rejoin(client: Client): Promise<void> {
    await client.query(
      `insert into replica_members (id, backend, seen_at) values ($1, pg_backend_pid(), clock_timestamp())
       on conflict (id) do update set seen_at = excluded.seen_at`,
      [this.#deps.replica],
    );
  }

  /** All rows, and the number of the newest batch in them. */
  async #readAll(client: Client): Promise<{ readonly rows: LedgerRows; readonly newest: number }> {
    const { times, now } = this.#deps;
    const reader = readerOf(client);
    const members = await reader.all(
      `select id from replica_members where seen_at > now() - interval '${GONE_AFTER_SECONDS} seconds'`,
    );
    const live = new Set([this.#deps.replica, ...members.map(({ id }) => String(id))]);
    await this.#grants.load(reader, now());
    const [batch] = await reader.all("select value from counters where name = 'batch'");
    const rows = await readLedger(reader, now(), times.leaseTtlMs, (connection) => live.has(replicaOf(connection)));
    return { rows, newest: Number(batch?.value) };
  }

  #remember(changes: Changes): void {
    this.#grants.remember(changes);
  }

  async #connected(): Promise<Client> {
    if (this.#closed) throw new Error("the database is closed");
    if (this.#client !== undefined) return this.#client;
    const client = await this.#deps.database.connect();
    client.once("end", () => {
      if (this.#client === client) this.#client = undefined;
    });
    // A batch touches a few rows and finds them by key; the planner must not choose another way for tables that it has no
    // statistics of.
    await client.query("set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off");
    this.#client = client;
    return client;
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    void client.end().catch(() => undefined);
  }
}

const PARAMETERS = ["written_by", "batch_record", "last_generation", "rare", ...columnNames];

/** A named statement, so that its many parameters are parsed once per connection. */
const WRITE = {
  name: "nest_write",
  text: `select nest_write(${PARAMETERS.map((parameter, at) => `${parameter} => $${at + 1}`).join(", ")}) as number`,
};

async function countedOf(client: Client, named: readonly string[]): Promise<Set<string>> {
  if (named.length === 0) return new Set();
  const { rows } = await client.query<Row>("select url from counted_pull_requests where url = any($1)", [named]);
  return new Set(rows.map(({ url }) => String(url)));
}
