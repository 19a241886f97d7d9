import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import type { Client } from "pg";
import { GONE_AFTER_SECONDS, locks, type PostgresDatabase } from "../storage/postgres.ts";

export interface ReplicasDeps {
  readonly database: PostgresDatabase;
  readonly replica: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A replica is gone; resolves when it is durable that what it held is away. */
  readonly onGone: (replica: string) => Promise<void>;
  /** This replica reads the code host from now on; and no longer. */
  readonly onLeader: () => Promise<void>;
  readonly onNotLeader: () => void;
}

/** How often a replica says that it is alive and looks after the others. */
const BEAT_MS = 2000;
/** A replica whose own beat is so late does not judge others by theirs. */
const HUNG_AFTER_MS = 2 * BEAT_MS;
const KEPT_BATCHES = "1 minute";
const UNSEEN = `seen_at < now() - interval '${GONE_AFTER_SECONDS} seconds'`;

/**
 * Which replicas are alive, and which one of them reads the code host. That duty is an advisory lock on a connection: it is free
 * the moment its holder's process is gone, and a holder that hangs is cut off by the others.
 */
export class Replicas {
  readonly #deps: ReplicasDeps;
  #client: Client | undefined;
  #others = new Set<string>();
  #isLeader = false;
  #hasStarted = false;
  #beatAt = 0;
  #next: CancelTimer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ReplicasDeps) {
    this.#deps = deps;
  }

  /** Replicas alive beside this one. */
  get others(): number {
    return this.#others.size;
  }

  /** Whether this is the replica that reads the code host. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /**
   * Says that this replica is alive, and goes on saying so: a slow start is not to look like an end. Whoever writes a batch after
   * the first time, keeps it for us.
   */
  async join(): Promise<void> {
    await this.#beat(await this.#connected());
    this.#goOn();
  }

  /** Begins to look after the others and for the duty; resolves when that was done once. */
  async start(): Promise<void> {
    this.#next?.();
    await this.#beating;
    this.#next?.();
    this.#hasStarted = true;
    await this.#again();
  }

  /** Leaves: the others need not wait to see that it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#next?.();
    await this.#beating;
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    await client.query("delete from replica_members where id = $1", [this.#deps.replica]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  #again(): Promise<void> {
    this.#beating = this.#round().finally(() => this.#goOn());
    return this.#beating;
  }

  #goOn(): void {
    if (!this.#closed) this.#next = this.#deps.clock.after(BEAT_MS, () => void this.#again());
  }

  async #round(): Promise<void> {
    const { log } = this.#deps;
    try {
      const client = await this.#connected();
      const hungMyself = this.#deps.clock.now() - this.#beatAt > HUNG_AFTER_MS;
      await this.#beat(client);
      if (!this.#hasStarted) return;
      // Whoever was stopped together with us (a machine that slept, a host that stalled) says in a moment that it is alive.
      if (!hungMyself) await this.#evictDead(client);
      await this.#seekDuty(client);
    } catch (thrown) {
      if (!this.#closed) log.warn({ because: sentenceOf(thrown) }, "this replica could not say that it is alive");
      await this.#client?.end().catch(() => undefined);
    }
  }

  async #beat(client: Client): Promise<void> {
    const { replica } = this.#deps;
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
    this.#beatAt = this.#deps.clock.now();
  }

  /**
   * Cuts off who was not seen for too long, and forgets what nobody will read any more. A replica is forgotten last: should
   * this one be killed before it is durable what that means for leases, another does it all again.
   */
  async #evictDead(client: Client): Promise<void> {
    const { rows } = await client.query<{ id: string; backend: string }>(
      `select id, backend from replica_members where ${UNSEEN} and id <> $1`,
      [this.#deps.replica],
    );
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1) and application_name = 'nest-hub'";
    if (rows.length > 0) await client.query(cut, [rows.map(({ backend }) => Number(backend))]);
    await client.query(`delete from replica_batches where made_at < now() - interval '${KEPT_BATCHES}'`);
    for (const { id } of rows) {
      const { log, onGone } = this.#deps;
      log.warn({ replica: id }, "a replica is gone; its relays come to the others, their tasks are kept");
      try {
        await onGone(id);
      } catch (thrown) {
        log.warn({ replica: id, because: sentenceOf(thrown) }, "that could not be written; it is tried again");
        continue;
      }
      await client.query(`delete from replica_members where id = $1 and ${UNSEEN}`, [id]);
    }
  }

  async #seekDuty(client: Client): Promise<void> {
    if (this.#isLeader) return;
    const { rows } = await client.query<{ got: boolean }>(
      "select pg_try_advisory_lock($1, hashtext(current_schema())) as got",
      [locks.leader],
    );
    if (rows[0]?.got !== true || this.#closed) return;
    this.#isLeader = true;
    this.#deps.log.info({ replica: this.#deps.replica }, "this replica reads the code host from now on");
    await this.#deps.onLeader();
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const client = await this.#deps.database.connect();
    client.once("end", () => this.#lost(client));
    this.#client = client;
    return client;
  }

  #lost(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    if (!this.#isLeader) return;
    this.#isLeader = false;
    if (!this.#closed) this.#deps.log.warn("the connection that holds the duty was lost; another replica may take it");
    this.#deps.onNotLeader();
  }
}
