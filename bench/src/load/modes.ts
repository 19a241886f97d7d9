import { Samples } from "../figures/percentiles.ts";
import type { BenchRelay, HeldTask, RelayEvents } from "./bench-relay.ts";

/** Things that were not the plain course, counted by reason. */
export class Oddities {
  readonly counts: Record<string, number> = {};

  add(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  clear(): void {
    for (const what of Object.keys(this.counts)) delete this.counts[what];
  }
}

const ASK_AGAIN_MS = 50;

/** A mode's reactions where nothing is expected to happen: everything is odd. */
export function expectNothing(odd: Oddities): RelayEvents {
  return {
    authenticated: () => undefined,
    assigned: () => odd.add("unexpected assignment"),
    acknowledged: () => undefined,
    ponged: () => undefined,
    unavailable: (_relay, reason) => odd.add(`unavailable: ${reason}`),
    revoked: (_relay, reason) => odd.add(`revoked: ${reason}`),
    refused: (_relay, reason) => odd.add(`refused: ${reason}`),
    closed: () => odd.add("connection closed"),
  };
}

/**
 * Every relay works without a pause, as a real one does that has reported: it asks for the next task at once and does not wait
 * for the acknowledgement. A cycle counts when its report was acknowledged.
 */
export class ClosedLoop {
  readonly #samples = new Samples();
  readonly #odd: Oddities;
  #cycles = 0;
  #going = true;

  constructor(odd: Oddities) {
    this.#odd = odd;
  }

  events(): RelayEvents {
    return {
      ...expectNothing(this.#odd),
      assigned: (relay, task) => {
        this.#samples.add(performance.now() - relay.askedAt);
        relay.workThrough(task, this.#going);
      },
      acknowledged: () => {
        this.#cycles += 1;
      },
      unavailable: (relay, reason) => {
        this.#odd.add(`unavailable: ${reason}`);
        setTimeout(() => this.#going && relay.askForWork(), ASK_AGAIN_MS);
      },
    };
  }

  /** Forgets the warm-up. */
  beginMeasuring(): void {
    this.#samples.clear();
    this.#cycles = 0;
  }

  stop() {
    this.#going = false;
    return { cycles: this.#cycles, readyToAssign: this.#samples.sum() };
  }
}

/** Work is asked for at a fixed rate, each time by a relay that has been idle longest. */
export class OpenLoop {
  readonly #samples = new Samples();
  readonly #odd: Oddities;
  readonly #idle: BenchRelay[];
  readonly #perMs: number;
  #timer: NodeJS.Timeout | undefined;
  #next = 0;
  #cycles = 0;

  constructor(odd: Oddities, relays: readonly BenchRelay[], perSecond: number) {
    this.#odd = odd;
    this.#idle = [...relays];
    this.#perMs = perSecond / 1000;
  }

  events(): RelayEvents {
    return {
      ...expectNothing(this.#odd),
      assigned: (relay, task) => {
        this.#samples.add(performance.now() - relay.askedAt);
        relay.workThrough(task);
      },
      acknowledged: (relay) => {
        this.#cycles += 1;
        this.#idle.push(relay);
      },
      unavailable: (relay, reason) => {
        this.#odd.add(`unavailable: ${reason}`);
        this.#idle.push(relay);
      },
    };
  }

  start(): void {
    const began = performance.now();
    let asked = 0;
    this.#timer = setInterval(() => {
      const due = Math.floor((performance.now() - began) * this.#perMs);
      for (; asked < due; asked += 1) this.#askOne();
    }, 1);
  }

  beginMeasuring(): void {
    this.#samples.clear();
    this.#cycles = 0;
  }

  stop() {
    clearInterval(this.#timer);
    return { cycles: this.#cycles, readyToAssign: this.#samples.sum() };
  }

  #askOne(): void {
    const relay = this.#idle[this.#next];
    if (relay === undefined) {
      this.#odd.add("no idle relay: the hub is behind the offered rate");
      return;
    }
    this.#next += 1;
    if (this.#next > 100_000) {
      this.#idle.splice(0, this.#next);
      this.#next = 0;
    }
    relay.askForWork();
  }
}

/** After a crash: who is back, whose lease was resumed, what was lost or given to two. */
export class Recovery {
  readonly odd: Oddities;
  readonly #held: ReadonlyMap<string, number>;
  readonly #resumed = new Set<number>();
  readonly #lost = new Set<number>();
  readonly #dial: (relay: BenchRelay) => void;
  #doubled = 0;
  #authenticated = 0;
  lastAuthenticatedAt = 0;
  lastResumedAt = 0;
  dials = 0;

  constructor(odd: Oddities, holders: readonly BenchRelay[], dial: (relay: BenchRelay) => void) {
    this.odd = odd;
    this.#held = new Map(holders.map((relay) => [relay.held?.issue ?? "", relay.index]));
    this.#dial = dial;
  }

  events(): RelayEvents {
    return {
      ...expectNothing(this.odd),
      closed: (relay) => {
        // The protocol's first retry: soon, and random, so that a crowd does not come as one.
        setTimeout(() => this.#redial(relay), 50 + Math.random() * 950);
      },
      refused: (_relay, reason) => this.odd.add(`refused: ${reason}`),
      authenticated: (relay) => {
        this.#authenticated += 1;
        this.lastAuthenticatedAt = epochNow();
        if (relay.held === undefined) return;
        relay.resume(relay.held);
        // Frames are answered in order: the pong says that the progress before it has been dealt with.
        relay.ping();
      },
      ponged: (relay) => {
        this.#resumed.add(relay.index);
        this.lastResumedAt = epochNow();
      },
      revoked: (relay, reason) => {
        this.odd.add(`revoked: ${reason}`);
        this.#lost.add(relay.index);
      },
      assigned: (relay, task) => this.#noteAssignment(relay, task),
      unavailable: () => undefined,
    };
  }

  get isComplete(): boolean {
    return this.#resumed.size >= this.#held.size;
  }

  get authenticated(): number {
    return this.#authenticated;
  }

  figures() {
    const lost = this.#held.size - [...this.#resumed].filter((index) => !this.#lost.has(index)).length;
    return { resumed: this.#resumed.size, lost, doubled: this.#doubled };
  }

  #redial(relay: BenchRelay): void {
    this.dials += 1;
    this.#dial(relay);
  }

  #noteAssignment(relay: BenchRelay, task: HeldTask): void {
    const holder = this.#held.get(task.issue);
    if (holder !== undefined && holder !== relay.index) this.#doubled += 1;
  }
}

/** Milliseconds since 1970, comparable between processes of one machine. */
export function epochNow(): number {
  return performance.timeOrigin + performance.now();
}
