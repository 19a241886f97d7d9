import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import type { Client } from "pg";
import { GONE_AFTER_SECONDS, locks, type PostgresDatabase } from "../database/postgres.ts";

export interface ReplicasParts {
  readonly database: PostgresDatabase;
  readonly replica: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A replica is gone: what it held is away. */
  readonly onGone: (replica: string) => void;
  /** This replica reads the code host from now on; and no longer. */
  readonly onDuty: () => Promise<void>;
  readonly offDuty: () => void;
}

/** How often a replica says that it is alive and looks after the others. */
const BEAT_MS = 2000;
const KEPT_BATCHES = "1 minute";

/**
 * Which replicas are alive, and which one of them reads the code host. That duty is an advisory lock on a connection: it is free
 * the moment its holder's process is gone, and a holder that hangs is cut off by the others.
 */
export class Replicas {
  readonly #parts: ReplicasParts;
  #client: Client | undefined;
  #others = new Set<string>();
  #hasDuty = false;
  #next: CancelTimer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: ReplicasParts) {
    this.#parts = parts;
  }

  /** Replicas alive beside this one. */
  get others(): number {
    return this.#others.size;
  }

  /** Whether this is the replica that reads the code host. */
  get hasDuty(): boolean {
    return this.#hasDuty;
  }

  /** Says for the first time that this replica is alive; whoever writes a batch after it, keeps it for us. */
  async join(): Promise<void> {
    await this.#beat(await this.#connected());
  }

  /** Begins to say so again and again, and to look for the duty; resolves when that was done once. */
  start(): Promise<void> {
    const again = () => {
      this.#beating = this.#round().finally(() => {
        if (!this.#closed) this.#next = this.#parts.clock.after(BEAT_MS, () => void again());
      });
      return this.#beating;
    };
    return again();
  }

  /** Leaves: the others need not wait to see that it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#next?.();
    await this.#beating;
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    await client.query("delete from replica_members where id = $1", [this.#parts.replica]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  async #round(): Promise<void> {
    const { log } = this.#parts;
    try {
      const client = await this.#connected();
      await this.#beat(client);
      await this.#bury(client);
      await this.#seekDuty(client);
    } catch (thrown) {
      if (!this.#closed) log.warn({ because: sentenceOf(thrown) }, "this replica could not say that it is alive");
      await this.#client?.end().catch(() => undefined);
    }
  }

  async #beat(client: Client): Promise<void> {
    const { replica } = this.#parts;
    await client.query(
      `insert into replica_members (id, backend, seen_at) values ($1, pg_backend_pid(), clock_timestamp())
       on conflict (id) do update set backend = excluded.backend, seen_at = excluded.seen_at`,
      [replica],
    );
    const { rows } = await client.query<{ id: string }>(
      `select id from replica_members where id <> $1 and seen_at > now() - interval '${GONE_AFTER_SECONDS} seconds'`,
      [replica],
    );
    this.#others = new Set(rows.map(({ id }) => id));
  }

  /** Cuts off who was not seen for too long, and forgets what nobody will read any more. */
  async #bury(client: Client): Promise<void> {
    const { rows } = await client.query<{ id: string; backend: string }>(
      `delete from replica_members where seen_at < now() - interval '${GONE_AFTER_SECONDS} seconds' returning id, backend`,
    );
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1) and application_name = 'nest-hub'";
    if (rows.length > 0) await client.query(cut, [rows.map(({ backend }) => Number(backend))]);
    await client.query(`delete from replica_batches where made_at < now() - interval '${KEPT_BATCHES}'`);
    for (const { id } of rows) {
      this.#parts.log.warn({ replica: id }, "a replica is gone; its relays come to the others, their tasks are kept");
      this.#parts.onGone(id);
    }
  }

  async #seekDuty(client: Client): Promise<void> {
    if (this.#hasDuty) return;
    const { rows } = await client.query<{ got: boolean }>(
      "select pg_try_advisory_lock($1, hashtext(current_schema())) as got",
      [locks.duty],
    );
    if (rows[0]?.got !== true || this.#closed) return;
    this.#hasDuty = true;
    this.#parts.log.info({ replica: this.#parts.replica }, "this replica reads the code host from now on");
    await this.#parts.onDuty();
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const client = await this.#parts.database.connect();
    client.once("end", () => this.#lost(client));
    this.#client = client;
    return client;
  }

  #lost(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    if (!this.#hasDuty) return;
    this.#hasDuty = false;
    if (!this.#closed) this.#parts.log.warn("the connection that holds the duty was lost; another replica may take it");
    this.#parts.offDuty();
  }
}
