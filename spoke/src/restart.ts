import { type Log, sentenceOf } from "@nest/kit";
import type { RunningSpoke } from "./start.ts";

/** Starts a nest. `restart` ends it and starts the next one; `before` is the one that has ended. */
export type Start = (restart: () => void, before: RunningSpoke | undefined) => Promise<RunningSpoke>;

/**
 * A nest that can be started anew within its program: everything is closed first (agents end, both ports are given back) and then read
 * and built again, so that it works the same under `nest up`, in a container and by hand, with no supervisor that must play along.
 */
export class RestartableSpoke {
  readonly #start: Start;
  readonly #log: Log;
  readonly #onFailed: (thrown: unknown) => void;
  #turn: Promise<RunningSpoke>;
  #isRestarting = false;
  #isClosed = false;

  private constructor(start: Start, log: Log, onFailed: (thrown: unknown) => void) {
    this.#start = start;
    this.#log = log;
    this.#onFailed = onFailed;
    this.#turn = start(() => this.restart(), undefined);
  }

  /**
   * Starts a nest. `onFailed` hears of one that could not be started again: nothing runs then.
   *
   * @throws UsageError as the first start does.
   */
  static async start(start: Start, log: Log, onFailed: (thrown: unknown) => void): Promise<RestartableSpoke> {
    const spoke = new RestartableSpoke(start, log, onFailed);
    await spoke.#turn;
    return spoke;
  }

  /** The nest that runs, or the one that is being started. */
  get running(): Promise<RunningSpoke> {
    return this.#turn;
  }

  /** Restarts the nest; one that is being restarted already is not restarted twice. */
  restart(): void {
    if (this.#isRestarting || this.#isClosed) return;
    this.#isRestarting = true;
    this.#turn = this.#again();
    this.#turn.catch((thrown: unknown) => {
      this.#log.error({ because: sentenceOf(thrown) }, "the nest could not be started again");
      this.#onFailed(thrown);
    });
  }

  /** Ends the nest for good, after a restart that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const spoke = await this.#turn.catch(() => undefined);
    await spoke?.close();
  }

  async #again(): Promise<RunningSpoke> {
    const before = await this.#turn;
    this.#log.info({}, "restarting");
    await before.close();
    const after = await this.#start(() => this.restart(), before);
    this.#isRestarting = false;
    return after;
  }
}
