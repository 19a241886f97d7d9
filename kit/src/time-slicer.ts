import { performance } from "node:perf_hooks";

/** How long work may run before the event loop gets a turn; well under 10 ms, the longest that anything may block. */
const SLICE_MS = 1;

/**
 * Works that wait to go on. Each turn of the event loop continues one of them, so many works together block no longer than one.
 */
const waiting: (() => void)[] = [];

function nextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(nextTurn);
}

export interface Slices {
  /** How long a slice is; shorter for what is done all the time, so that it delays nobody noticeably. */
  readonly sliceMs?: number;
  /**
   * How long the event loop is left to everybody else after a slice: a turn unless given. What passes through the loop several times, a
   * relay's task on its way to the disk and back, then meets one slice and not one at each turn.
   */
  readonly restMs?: number;
}

/** Splits long work into slices. `pause` gives the event loop to everybody else when the slice is used up; else it returns at once. */
export class TimeSlicer {
  readonly #sliceMs: number;
  readonly #restMs: number;
  #since = performance.now();

  constructor({ sliceMs = SLICE_MS, restMs = 0 }: Slices = {}) {
    this.#sliceMs = sliceMs;
    this.#restMs = restMs;
  }

  /** Returns undefined while the slice lasts, so that a tight loop does not await for nothing. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < this.#sliceMs) return undefined;
    return new Promise((resolve) => {
      const goOn = () => {
        this.#since = performance.now();
        resolve();
      };
      // A timer alone is no turn: one that is due by now fires before anything else.
      if (this.#restMs > 0) setTimeout(setImmediate, this.#restMs, goOn);
      else inTurn(goOn);
    });
  }

  /** Runs all steps. Whenever a slice is used up, between steps or after the last one, the event loop gets its pause. */
  async through<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      const pause = this.pause();
      if (pause !== undefined) await pause;
      if (step.done === true) return step.value;
    }
  }
}

function inTurn(goOn: () => void): void {
  waiting.push(goOn);
  if (waiting.length === 1) setImmediate(nextTurn);
}
