import type { Durations } from "@nest/protocol";
import type { Client } from "pg";
import { type BatchRecord, decidedOf, recordOf } from "../leases/batch-record.ts";
import type { Changes, LedgerPast, LedgerRows } from "../leases/changes.ts";
import { replicaOf } from "../leases/connection.ts";
import type { BatchResult, LedgerStore, ReplicaUpdate } from "../leases/ledger-store.ts";
import { batchColumnsOf, columnNames } from "./batch-columns.ts";
import { rareRowsOf } from "./batch-rows.ts";
import type { Row } from "./columns.ts";
import { GONE_AFTER_SECONDS, locks, type PostgresDatabase, readerOf } from "./postgres.ts";
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
 * The ledger's rows in a database that replicas share. Each batch is one transaction under one lock: it first takes over what
 * others wrote since, decides on that with the same ledger and decider, and writes. So replicas decide one after the other, each
 * on the newest state, and what a replica keeps in memory is never an authority.
 */
export class PostgresLedger implements LedgerStore, LedgerPast {
  readonly #deps: PostgresLedgerDeps;
  readonly #grants: RecentGrants;
  /** Pull requests named in the batch under way that were counted before. */
  #counted = new Set<string>();
  #client: Client | undefined;
  /** The newest batch that the ledger knows. */
  #seen = -1;
  #closed = false;

  constructor(deps: PostgresLedgerDeps) {
    this.#deps = deps;
    this.#grants = new RecentGrants(deps.times.dayWindowMs);
  }

  /** Everything as it is now; batches after it come as news. */
  async load(): Promise<LedgerRows> {
    const client = await this.#connected();
    await client.query("begin");
    try {
      await client.query(`select pg_advisory_xact_lock(${locks.batches}, hashtext(current_schema()))`);
      return await this.#readAll(client);
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
    decide: (news: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): Promise<void> {
    const client = await this.#connected();
    try {
      await this.#transact(client, decide, named);
    } catch (thrown) {
      // Whether it was committed is unknown: on a new connection the number of the newest batch tells.
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
    decide: (news: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): Promise<void> {
    const { replica } = this.#deps;
    const answers = (await client.query(`
      begin;
      select pg_advisory_xact_lock(${locks.batches}, hashtext(current_schema()));
      select value from counters where name = 'batch';
      select record from replica_batches where number > ${this.#seen} order by number;
      select 1 from replica_members where id <> '${replica}' and seen_at > now() - interval '1 minute' limit 1`)) as unknown as {
      rows: Row[];
    }[];
    const newest = Number(answers[2]?.rows[0]?.value);
    const records = (answers[3]?.rows ?? []).map((row) => row.record as BatchRecord);
    const others = (answers[4]?.rows.length ?? 0) > 0;
    const news = await this.#newsOf(client, newest, records);
    this.#counted = await countedOf(client, named);
    const decided = decide(news);
    this.#seen = newest;
    if (decided === undefined) {
      await client.query(news?.kind === "everything" ? "commit" : "rollback");
      return;
    }
    const { changes } = decided;
    const rare = rareRowsOf(changes);
    const values = [
      replica,
      others ? jsonOf(recordOf(decided, replica)) : null,
      changes.gen ?? null,
      rare === undefined ? null : jsonOf(rare),
      ...batchColumnsOf(changes),
    ];
    // Both are handed over together: the second goes out as soon as the first is answered, for others wait for the lock.
    const [{ rows }] = await Promise.all([client.query<Row>({ ...WRITE, values }), client.query("commit")]);
    this.#seen = Number(rows[0]?.number);
    this.#remember(changes);
  }

  async #newsOf(client: Client, newest: number, records: readonly BatchRecord[]): Promise<ReplicaUpdate | undefined> {
    const missed = newest - this.#seen;
    if (missed === 0) return undefined;
    if (records.length < missed) {
      await this.#rejoin(client);
      return { kind: "everything", rows: await this.#readAll(client) };
    }
    const batches = records.map(decidedOf);
    for (const { changes } of batches) this.#remember(changes);
    return { kind: "batches", batches };
  }

  /** Others wrote without keeping their batches for us: they take us for gone. From this transaction on they keep them again. */
  async #rejoin(client: Client): Promise<void> {
    await client.query(
      `insert into replica_members (id, backend, seen_at) values ($1, pg_backend_pid(), clock_timestamp())
       on conflict (id) do update set seen_at = excluded.seen_at`,
      [this.#deps.replica],
    );
  }

  async #readAll(client: Client): Promise<LedgerRows> {
    const { times, now } = this.#deps;
    const reader = readerOf(client);
    const members = await reader.all(
      `select id from replica_members where seen_at > now() - interval '${GONE_AFTER_SECONDS} seconds'`,
    );
    const live = new Set([this.#deps.replica, ...members.map(({ id }) => String(id))]);
    await this.#grants.load(reader, now());
    const [batch] = await reader.all("select value from counters where name = 'batch'");
    this.#seen = Number(batch?.value);
    return readLedger(reader, now(), times.leaseTtlMs, (connection) => live.has(replicaOf(connection)));
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
    // A batch is a handful of rows found by their keys, whatever the planner believes of tables it has not looked at yet.
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

/** Named, so that a connection has its many parameters read once. */
const WRITE = {
  name: "nest_write",
  text: `select nest_write(${PARAMETERS.map((parameter, at) => `${parameter} => $${at + 1}`).join(", ")}) as number`,
};

async function countedOf(client: Client, named: readonly string[]): Promise<Set<string>> {
  if (named.length === 0) return new Set();
  const { rows } = await client.query<Row>("select url from counted_pull_requests where url = any($1)", [named]);
  return new Set(rows.map(({ url }) => String(url)));
}
