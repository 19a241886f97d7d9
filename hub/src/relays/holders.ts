import { type CommandBatcher, type Ledger, type RelayIdentity, replicaOf } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import type { OtherReplicas } from "./other-replicas.ts";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";

export interface HolderDeps {
  readonly replica: string;
  readonly isShared: () => boolean;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly roster: Roster;
  readonly probes: Probes;
  readonly otherReplicas: OtherReplicas;
  readonly clock: Clock;
  readonly probeMs: number;
}

/**
 * Finds out whether another live connection holds a task that a relay names. A relay takes its own task over from a
 * connection that is gone or does not answer a ping, never from one that is alive.
 */
export class Holders {
  readonly #deps: HolderDeps;

  constructor(deps: HolderDeps) {
    this.#deps = deps;
  }

  /**
   * Finds the connection that held the task and does not answer. Returns undefined when no connection has to be pinged. The
   * promise never rejects; it resolves with undefined when no connection held the task, or when the holder is alive. `since`
   * is when the relay's connection was admitted (ms): a pong after that time is recent enough.
   */
  silentHolder(taskId: string, relayIdentity: RelayIdentity, since: number): Promise<string | undefined> | undefined {
    const { ledger, isShared } = this.#deps;
    if (ledger.lease(taskId)?.connection === relayIdentity.connection) return undefined;
    return isShared() ? this.#anywhere(taskId, relayIdentity, since) : this.#here(taskId, relayIdentity, since);
  }

  #here(taskId: string, relayIdentity: RelayIdentity, since: number): Promise<string | undefined> | undefined {
    const { roster, probes, clock, probeMs } = this.#deps;
    const connection = this.#otherHolder(taskId, relayIdentity);
    if (connection === undefined) return undefined;
    const holder = roster.get(connection);
    // The connection is gone, but that is not written yet.
    if (holder === undefined) return Promise.resolve(connection);
    if (holder.answeredAt >= since && clock.now() - holder.answeredAt < probeMs) return undefined;
    return probes.ask(holder).then((isAlive) => (isAlive ? undefined : connection));
  }

  /** Also considers what other replicas have just written. */
  async #anywhere(taskId: string, relayIdentity: RelayIdentity, since: number): Promise<string | undefined> {
    const { batcher, otherReplicas, replica } = this.#deps;
    await batcher.sync();
    const connection = this.#otherHolder(taskId, relayIdentity);
    if (connection === undefined) return undefined;
    if (replicaOf(connection) === replica) return this.#here(taskId, relayIdentity, since);
    const lives = await otherReplicas.lives(connection);
    await batcher.sync();
    return lives ? undefined : connection;
  }

  #otherHolder(taskId: string, { connection, contributorId }: RelayIdentity): string | undefined {
    const lease = this.#deps.ledger.lease(taskId);
    if (lease?.contributorId !== contributorId || lease.connection === connection) return undefined;
    return lease.connection;
  }
}
