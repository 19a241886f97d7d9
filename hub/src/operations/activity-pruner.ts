import type { Reader } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";

/** The feed tells of what happened lately; tasks, the audit and the figures keep the rest. */
const MOST_LINES = 100_000;
const MOST_AGE_MS = 90 * 24 * 3_600_000;
const EVERY_MS = 60_000;
/** Lines looked at in one statement: a relay waits for it at most a few milliseconds. */
const SLICE = 500;
const BETWEEN_SLICES_MS = 200;

export interface ActivityPrunerDeps {
  /** Statements that delete go the same way as those that ask. */
  readonly database: Reader;
  /** One replica prunes for all. */
  readonly isMine: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Forgets the oldest lines of the activity feed, by age and by number, a few at a time beside everything else. */
export class ActivityPruner {
  readonly #deps: ActivityPrunerDeps;
  #stop: CancelTimer = () => {};
  #next: CancelTimer = () => {};

  constructor(deps: ActivityPrunerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stop = this.#deps.clock.every(EVERY_MS, () => {
      this.#next();
      void this.#prune();
    });
  }

  stop(): void {
    this.#stop();
    this.#next();
  }

  async #prune(): Promise<void> {
    const { database, isMine, clock, log } = this.#deps;
    if (!isMine()) return;
    try {
      const pruned = await database.all(PRUNE, MOST_LINES, clock.now() - MOST_AGE_MS);
      if (pruned.length > 0) this.#next = clock.after(BETWEEN_SLICES_MS, () => void this.#prune());
    } catch (thrown) {
      log.warn({ because: sentenceOf(thrown) }, "old activity could not be pruned; trying again later");
    }
  }
}

/** The newest line stays whatever its age: lines are numbered on from it. */
const PRUNE = `
  delete from activity where id in (
    select id from (select id, at from activity order by id limit ${SLICE}) as oldest
    where id < (select max(id) from activity) and (id <= (select max(id) from activity) - ?1 or at < ?2)
  ) returning id`;
