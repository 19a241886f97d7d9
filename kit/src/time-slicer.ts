import { performance } from "node:perf_hooks";

/** How long work may run before the event loop gets a turn; well under 10 ms, the longest that anything may block. */
const SLICE_MS = 1;

/**
 * Works that wait to go on. Each turn of the event loop continues one of them, so many works together block no longer than one.
 */
const waiting: (() => void)[] = [];

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Splits long work into slices. `pause` gives the event loop a turn when the slice is used up; else it returns at once. */
export class TimeSlicer {
  readonly #sliceMs: number;
  #since = performance.now();

  /** `sliceMs`: shorter for what is done all the time, so that it delays nobody noticeably. */
  constructor(sliceMs = SLICE_MS) {
    this.#sliceMs = sliceMs;
  }

  /** Returns undefined while the slice lasts, so that a tight loop does not await for nothing. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < this.#sliceMs) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => {
        this.#since = performance.now();
        resolve();
      });
      if (waiting.length === 1) setImmediate(goOn);
    });
  }

  /** Runs all steps. Whenever a slice is used up, between steps or after the last one, the event loop gets a turn. */
  async through<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      const pause = this.pause();
      if (pause !== undefined) await pause;
      if (step.done === true) return step.value;
    }
  }
}
