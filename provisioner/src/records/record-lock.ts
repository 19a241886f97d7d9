import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type Clock,
  clearLockFile,
  isAbsent,
  KeyedLock,
  lockFileText,
  makePrivateFolder,
  placeLockFile,
  readTextIfPresent,
  removeLockFile,
} from "@nest/kit";

/** A change takes milliseconds. Whoever has held a record this long was killed, and another one takes it over. */
export const HOLDER_GONE_MS = 10_000;
const LOOK_MS = 5;
/** How often a change begins again whose lock was taken over. */
const MOST_TRIES = 5;

/** Thrown into a change whose lock another process took over, because this one was as good as dead meanwhile. */
export class LockLost extends Error {}

/** What a change has while it holds its record. */
export interface Held {
  /** @throws LockLost when another process has the record by now. */
  stillMine(): void;
}

/**
 * Keeps changes of one record apart, between the acts of this process and between processes that share a data folder: replicas of
 * a hub, and `nest instance`. Who changes a record creates its lock file; the others wait until it is gone.
 *
 * Each holder writes another name into the file. Somebody who has waited for the same name for ten seconds of their own clock
 * takes the record over, so the clocks of two machines need not agree. A holder that merely hung sees that before it replaces the
 * record, and begins again.
 */
export class RecordLocks {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #here = new KeyedLock();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Runs a change of a record when nobody else changes it; again where it lost its lock before it could write. */
  async run<Result>(id: string, act: (held: Held) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once(id, act);
      } catch (thrown) {
        if (!(thrown instanceof LockLost) || tries === MOST_TRIES) throw thrown;
      }
    }
  }

  #once<Result>(id: string, act: (held: Held) => Promise<Result>): Promise<Result> {
    return this.#here.run(id, async () => {
      const path = join(this.#folder, id);
      const name = randomUUID();
      await this.#take(path, name);
      const stillMine = () => {
        if (lockFileText(path) !== name) throw new LockLost("another process took the record over");
      };
      try {
        return await act({ stillMine });
      } finally {
        removeLockFile(path, name);
      }
    });
  }

  async #take(path: string, name: string): Promise<void> {
    let seen: string | undefined;
    let since = 0;
    while (!(await this.#placed(path, name))) {
      const holder = await readTextIfPresent(path);
      const now = this.#clock.now();
      if (holder === undefined) continue;
      if (holder !== seen) [seen, since] = [holder, now];
      else if (now - since >= HOLDER_GONE_MS) await clearLockFile(path, seen);
      await this.#clock.sleep(LOOK_MS);
    }
  }

  async #placed(path: string, name: string): Promise<boolean> {
    try {
      return await placeLockFile(path, name);
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
      await makePrivateFolder(this.#folder);
      return false;
    }
  }
}
