import type { Reader } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";

/** Maximum number of lines in the activity feed. Tasks, the audit log and the statistics keep older history. */
const MOST_LINES = 100_000;
const MOST_AGE_MS = 90 * 24 * 3_600_000;
const EVERY_MS = 60_000;
/** Lines per statement, so that a relay waits at most a few milliseconds for one. */
const SLICE = 500;
const BETWEEN_SLICES_MS = 200;

export interface ActivityPrunerDeps {
  /** Runs the deleting statements too. */
  readonly database: Reader;
  /** True at one replica, which prunes for all of them. */
  readonly isMine: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Deletes the oldest lines of the activity feed, by age and by number, in small slices. */
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

/** The newest line always stays, because new ids continue from it. */
const PRUNE = `
  delete from activity where id in (
    select id from (select id, at from activity order by id limit ${SLICE}) as oldest
    where id < (select max(id) from activity) and (id <= (select max(id) from activity) - ?1 or at < ?2)
  ) returning id`;
