import { type Changes, type LedgerStore, openPostgres, PostgresLedger } from "@nest/dispatch";
import { Secret } from "@nest/kit";
import { durations } from "@nest/protocol";
import type { SimulatedDisk, Storage } from "./simulated-disk.ts";

type Database = Awaited<ReturnType<typeof openPostgres>>;
type Client = Awaited<ReturnType<Database["connect"]>>;

/** A real PostgreSQL as the disk of simulated hubs. Every commit is copied to a simulated disk, where the invariants are checked. */
export class PostgresStorage implements AsyncDisposable {
  readonly #database: Database;
  readonly #ledgers: PostgresLedger[] = [];
  /** True: the next commit happens, but its confirmation is lost. */
  #losesAnswer = false;
  readonly #booting = new Set<string>();
  /** Batches are lost before other replicas have read them, as by a crash of the database. */
  losesBatches = false;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(url: string): Promise<PostgresStorage> {
    return new PostgresStorage(await openPostgres(new Secret(url)));
  }

  /** The storage of each replica of a world. */
  of(disk: SimulatedDisk, isLive: (connection: string) => boolean, now: () => number): (replica: string) => Storage {
    return (replica) => {
      const database = { ...this.#database, connect: () => this.#connect() };
      const ledger = new PostgresLedger({ database, replica, times: durations, now });
      this.#ledgers.push(ledger);
      return {
        past: ledger,
        disk: { transact: (decide, named) => this.#transact(disk, ledger, decide, named) },
        load: async () => {
          this.#booting.add(replica);
          await this.#enrol(disk, replica, isLive);
          const rows = await ledger.load();
          this.#booting.delete(replica);
          return rows;
        },
      };
    };
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.#database.reader.all(sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#ledgers.map((ledger) => ledger.close()));
    await this.#database.close();
  }

  async #transact(
    disk: SimulatedDisk,
    ledger: PostgresLedger,
    decide: Parameters<LedgerStore["transact"]>[0],
    named: readonly string[],
  ): Promise<void> {
    if (this.losesBatches) await this.#database.pool.query("delete from replica_batches");
    let changes: Changes | undefined;
    const { fault } = disk;
    const judged: typeof decide = (news) => {
      const decided = decide(news);
      if (decided === undefined) return undefined;
      if (fault === "refuse" || fault === "crash before") disk.commit(decided.changes);
      this.#losesAnswer = fault === "lose the answer";
      changes = decided.changes;
      return decided;
    };
    try {
      await ledger.transact(judged, named);
    } catch (thrown) {
      if (!this.#losesAnswer || changes === undefined) throw thrown;
      this.#losesAnswer = false;
      disk.fault = undefined;
      disk.commit(changes);
      throw thrown;
    }
    if (changes !== undefined) disk.commit(changes);
  }

  async #connect(): Promise<Client> {
    const client = await this.#database.connect();
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const losing = async (...args: unknown[]) => {
      const answer = await query(...args);
      if (args[0] === "commit" && this.#losesAnswer) throw new Error("the connection was lost");
      return answer;
    };
    return Object.assign(client, { query: losing });
  }

  /** Registers the replicas as alive, and writes the contributors that a world begins with. */
  async #enrol(disk: SimulatedDisk, replica: string, isLive: (connection: string) => boolean): Promise<void> {
    const { pool } = this.#database;
    for (const { id } of await this.rows("select id from replica_members"))
      if (!isLive(`conn-${id}-0`) && !this.#booting.has(String(id)))
        await pool.query("delete from replica_members where id = $1", [id]);
    await pool.query("insert into replica_members values ($1, 0, now() + interval '1 day')", [replica]);
    for (const one of disk.contributors.values()) {
      await pool.query(
        `insert into contributors (id, login, login_key, token_digest, tier, registered_at, grants, completed, verified, failed,
           promotion_base, streak, paused_until)
         values ($1, $2, $3, $4, $5, $6, 0, 0, 0, 0, 0, 0, 0) on conflict do nothing`,
        [one.id, one.login, one.login.toLowerCase(), one.tokenDigest, one.tier, one.registeredAt],
      );
    }
  }
}
