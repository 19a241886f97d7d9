import { performance } from "node:perf_hooks";

/** Work done in one go before everybody else gets a turn; well under the 10 ms that nothing may block for. */
const SLICE_MS = 1;

/** Works that wait for a turn; each turn of the event loop goes on with one of them, however many there are. */
const waiting: (() => void)[] = [];

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Cuts long work up: `pause` answers with a turn of the event loop once a slice is used up, else at once. */
export class TimeSlicer {
  #since = performance.now();

  /** Undefined while the slice lasts, so that a tight loop need not wait for nothing. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => {
        this.#since = performance.now();
        resolve();
      });
      if (waiting.length === 1) setImmediate(goOn);
    });
  }

  /** Goes through steps, with a turn of the event loop between them, and after the last, whenever a slice is used up. */
  async through<Result>(steps: Generator<void, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      const pause = this.pause();
      if (pause !== undefined) await pause;
      if (step.done === true) return step.value;
    }
  }
}
