import { performance } from "node:perf_hooks";

/** Ends a timer; doing so twice is harmless. */
export type CancelTimer = () => void;

/** Time, passed in. Nothing in the product reads the system's clock another way. */
export interface Clock {
  /** Milliseconds since 1970. Never goes backwards inside one run, whatever happens to the wall clock. */
  now(): number;
  /** Runs `act` once after `delayMs`. The timer does not keep the process alive. */
  after(delayMs: number, act: () => void): CancelTimer;
  /** Runs `act` every `periodMs`, first after one period. */
  every(periodMs: number, act: () => void): CancelTimer;
  /** Resolves after `delayMs`; rejects with the signal's reason when that comes first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay a Node timer takes; longer ones would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The system's clock, anchored once to the wall clock and monotonic from then on. */
export function systemClock(): Clock {
  return {
    now: () => Math.floor(performance.timeOrigin + performance.now()),
    after(delayMs, act) {
      const timer = setTimeout(act, Math.min(delayMs, LONGEST_TIMER_MS));
      timer.unref();
      return () => clearTimeout(timer);
    },
    every(periodMs, act) {
      const timer = setInterval(act, Math.min(periodMs, LONGEST_TIMER_MS));
      timer.unref();
      return () => clearInterval(timer);
    },
    sleep: (delayMs, signal) => sleepOn(setTimeoutCancelled, delayMs, signal),
  };
}

function setTimeoutCancelled(delayMs: number, act: () => void): CancelTimer {
  const timer = setTimeout(act, delayMs);
  return () => clearTimeout(timer);
}

function sleepOn(
  after: (delayMs: number, act: () => void) => CancelTimer,
  delayMs: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

interface VirtualTimer {
  readonly id: number;
  due: number;
  readonly everyMs: number | undefined;
  readonly act: () => void;
}

/** A clock that moves only when told to: timers fire in order of their due time, then of their making. */
export class VirtualClock implements Clock {
  #now: number;
  #nextId = 1;
  readonly #timers = new Map<number, VirtualTimer>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, act: () => void): CancelTimer {
    return this.#add(delayMs, undefined, act);
  }

  every(periodMs: number, act: () => void): CancelTimer {
    return this.#add(periodMs, periodMs, act);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn((ms, act) => this.after(ms, act), delayMs, signal);
  }

  /** Moves time forward by `byMs`. Fires each timer that falls due on the way, and gives the event loop a turn after each. */
  async advance(byMs: number): Promise<void> {
    const end = this.#now + byMs;
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.due > end) break;
      this.#now = Math.max(this.#now, next.due);
      if (next.everyMs === undefined) this.#timers.delete(next.id);
      else next.due += next.everyMs;
      next.act();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves time forward by `byMs` in one step, as when a machine was suspended: each timer that fell due fires once. */
  async jump(byMs: number): Promise<void> {
    this.#now += byMs;
    for (const timer of [...this.#timers.values()].filter(({ due }) => due <= this.#now)) {
      if (timer.everyMs === undefined) this.#timers.delete(timer.id);
      else timer.due = this.#now + timer.everyMs;
      timer.act();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  #add(delayMs: number, everyMs: number | undefined, act: () => void): CancelTimer {
    const timer = { id: this.#nextId++, due: this.#now + Math.max(0, delayMs), everyMs, act };
    this.#timers.set(timer.id, timer);
    return () => this.#timers.delete(timer.id);
  }

  #earliest(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers.values()) {
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.id < first.id))
        first = timer;
    }
    return first;
  }
}
