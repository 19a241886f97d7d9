import { type LeaseBook, type Ledger, replicaOf, type Speaker } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import type { Elsewhere } from "./elsewhere.ts";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";

export interface HolderParts {
  readonly replica: string;
  readonly isShared: () => boolean;
  readonly ledger: Ledger;
  readonly book: LeaseBook;
  readonly roster: Roster;
  readonly probes: Probes;
  readonly elsewhere: Elsewhere;
  readonly clock: Clock;
  readonly probeMs: number;
}

/**
 * Finds out whether a task that a relay speaks of is in other hands: whoever comes back for its own task takes it over from a
 * socket that is gone or does not answer, and never from one that lives.
 */
export class Holders {
  readonly #parts: HolderParts;

  constructor(parts: HolderParts) {
    this.#parts = parts;
  }

  /**
   * Undefined: nobody has to be asked. Otherwise resolves, never rejects, with the socket that had the task and does not
   * answer; with undefined when none had it, or it lives. `since` is when the speaker's socket was welcomed (ms): an answer
   * that was given after that is new enough.
   */
  silentHolder(taskId: string, speaker: Speaker, since: number): Promise<string | undefined> | undefined {
    const { ledger, isShared } = this.#parts;
    if (ledger.lease(taskId)?.connection === speaker.connection) return undefined;
    return isShared() ? this.#anywhere(taskId, speaker, since) : this.#here(taskId, speaker, since);
  }

  #here(taskId: string, speaker: Speaker, since: number): Promise<string | undefined> | undefined {
    const { roster, probes, clock, probeMs } = this.#parts;
    const connection = this.#otherHolder(taskId, speaker);
    if (connection === undefined) return undefined;
    const holder = roster.get(connection);
    // It is gone, and that could not be written yet.
    if (holder === undefined) return Promise.resolve(connection);
    if (holder.answeredAt >= since && clock.now() - holder.answeredAt < probeMs) return undefined;
    return probes.ask(holder).then((isAlive) => (isAlive ? undefined : connection));
  }

  /** What another replica wrote a moment ago counts too. */
  async #anywhere(taskId: string, speaker: Speaker, since: number): Promise<string | undefined> {
    const { book, elsewhere, replica } = this.#parts;
    await book.caughtUp();
    const connection = this.#otherHolder(taskId, speaker);
    if (connection === undefined) return undefined;
    if (replicaOf(connection) === replica) return this.#here(taskId, speaker, since);
    const lives = await elsewhere.lives(connection);
    await book.caughtUp();
    return lives ? undefined : connection;
  }

  #otherHolder(taskId: string, { connection, contributorId }: Speaker): string | undefined {
    const lease = this.#parts.ledger.lease(taskId);
    if (lease?.contributorId !== contributorId || lease.connection === connection) return undefined;
    return lease.connection;
  }
}
