import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import type { Client } from "pg";
import { BATCHES_KEPT_FOR, GONE_AFTER_SECONDS, locks, type PostgresDatabase } from "../storage/postgres.ts";

export interface ReplicasDeps {
  readonly database: PostgresDatabase;
  readonly replica: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a replica is dead; resolves when the change of its leases to *away* is durable. */
  readonly onGone: (replica: string) => Promise<void>;
  /** Called when this replica becomes the leader, which reads the code host, and when it stops being the leader. */
  readonly onLeader: () => Promise<void>;
  readonly onNotLeader: () => void;
}

/** How often a replica sends a heartbeat and checks the others. */
const BEAT_MS = 2000;
/** A replica whose own heartbeat is this late does not judge the heartbeats of others. */
const STALLED_AFTER_MS = 2 * BEAT_MS;
const UNSEEN = `seen_at < now() - interval '${GONE_AFTER_SECONDS} seconds'`;

/**
 * Tracks which replicas are alive, and which one is the leader that reads the code host. Leadership is an advisory lock on a
 * connection: it is free as soon as the leader's process is gone, and the other replicas end the connection of a leader that
 * hangs.
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

  /** The number of other live replicas. */
  get others(): number {
    return this.#others.size;
  }

  /** Whether another replica was alive at the last heartbeat. */
  isLive(replica: string): boolean {
    return this.#others.has(replica);
  }

  /** Whether this replica is the leader, which reads the code host. */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /**
   * Sends the first heartbeat and keeps sending, so that a slow start does not look like a dead replica. From the first
   * heartbeat on, the other replicas keep the batches that they write for this one.
   */
  async join(): Promise<void> {
    await this.#beat(await this.#connected());
    this.#scheduleRound();
  }

  /** Starts checking the other replicas and seeking leadership; resolves after the first round. */
  async start(): Promise<void> {
    this.#next?.();
    await this.#beating;
    this.#next?.();
    this.#hasStarted = true;
    await this.#runRound();
  }

  /** Leaves at once: the other replicas need not wait for a missing heartbeat. */
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

  #runRound(): Promise<void> {
    this.#beating = this.#round().finally(() => this.#scheduleRound());
    return this.#beating;
  }

  #scheduleRound(): void {
    if (!this.#closed) this.#next = this.#deps.clock.after(BEAT_MS, () => void this.#runRound());
  }

  async #round(): Promise<void> {
    const { log } = this.#deps;
    try {
      const client = await this.#connected();
      const didStall = this.#deps.clock.now() - this.#beatAt > STALLED_AFTER_MS;
      await this.#beat(client);
      if (!this.#hasStarted) return;
      // If this replica stalled, the others may have stalled with it (a suspended machine, a slow host): skip eviction for
      // one round so that they can send a heartbeat.
      if (!didStall) await this.#evictDead(client);
      await this.#seekLeadership(client);
    } catch (thrown) {
      if (!this.#closed) log.warn({ because: sentenceOf(thrown) }, "could not send this replica's heartbeat");
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
   * Ends the connections of replicas whose heartbeats are overdue, and deletes old batches. A dead replica's row is deleted
   * last: if this replica is killed before the change of the leases is durable, another replica repeats the eviction.
   */
  async #evictDead(client: Client): Promise<void> {
    const { rows } = await client.query<{ id: string; backend: string }>(
      `select id, backend from replica_members where ${UNSEEN} and id <> $1`,
      [this.#deps.replica],
    );
    const endConnections =
      "select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1) and application_name = 'nest-hub'";
    if (rows.length > 0) await client.query(endConnections, [rows.map(({ backend }) => Number(backend))]);
    await client.query(`delete from replica_batches where made_at < now() - interval '${BATCHES_KEPT_FOR}'`);
    for (const { id } of rows) {
      const { log, onGone } = this.#deps;
      log.warn({ replica: id }, "a replica is dead; its relays reconnect to the others and keep their tasks");
      try {
        await onGone(id);
      } catch (thrown) {
        log.warn(
          { replica: id, because: sentenceOf(thrown) },
          "could not write the eviction of a dead replica; trying again",
        );
        continue;
      }
      await client.query(`delete from replica_members where id = $1 and ${UNSEEN}`, [id]);
    }
  }

  async #seekLeadership(client: Client): Promise<void> {
    if (this.#isLeader) return;
    const { rows } = await client.query<{ got: boolean }>(
      "select pg_try_advisory_lock($1, hashtext(current_schema())) as got",
      [locks.leader],
    );
    if (rows[0]?.got !== true || this.#closed) return;
    this.#isLeader = true;
    this.#deps.log.info({ replica: this.#deps.replica }, "this replica is now the leader and reads the code host");
    await this.#deps.onLeader();
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const client = await this.#deps.database.connect();
    client.once("end", () => this.#onConnectionLost(client));
    this.#client = client;
    return client;
  }

  #onConnectionLost(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    if (!this.#isLeader) return;
    this.#isLeader = false;
    if (!this.#closed)
      this.#deps.log.warn("lost the connection that holds the leader lock; another replica may become the leader");
    this.#deps.onNotLeader();
  }
}
