import { Samples } from "../figures/percentiles.ts";
import type { BenchRelay, HeldTask, RelayEvents } from "./bench-relay.ts";
import type { Latencies } from "./commands.ts";
import { expectNothing, type Oddities } from "./modes.ts";

/** What one task makes a relay send: ready, task_accepted with task_progress, a second task_progress, task_complete. */
export const EVENTS_A_TASK = 5;

interface Due {
  readonly relay: BenchRelay;
  readonly task: HeldTask;
  readonly at: number;
}

export interface ShiftDeps {
  readonly odd: Oddities;
  readonly relays: readonly BenchRelay[];
  readonly eventsPerSecond: number;
  /** How long a relay keeps a task. */
  readonly holdMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/**
 * A fleet at work: relays ask for tasks at a fixed rate, keep each for a while, report in between and complete it. So there are tasks
 * under lease at every moment, and what an admin's page shows changes all the time.
 */
export class ShiftLoop {
  readonly #deps: ShiftDeps;
  readonly #samples = new Samples();
  readonly #idle: BenchRelay[];
  /** All are kept equally long, so each list is in the order in which they are due. */
  readonly #halfway: Due[] = [];
  readonly #ending: Due[] = [];
  #events = 0;
  #asked = 0;
  readonly #began: number;

  constructor(deps: ShiftDeps) {
    this.#deps = deps;
    this.#idle = [...deps.relays];
    this.#began = deps.now();
  }

  events(): RelayEvents {
    const { odd, holdMs, now } = this.#deps;
    return {
      ...expectNothing(odd),
      assigned: (relay, task) => {
        this.#samples.add(now() - relay.askedAt);
        relay.accept(task);
        this.#events += 2;
        this.#halfway.push({ relay, task, at: now() + holdMs / 2 });
      },
      acknowledged: (relay) => this.#idle.push(relay),
      unavailable: (relay, reason) => {
        odd.add(`unavailable: ${reason}`);
        this.#idle.push(relay);
      },
    };
  }

  /** Sends what is due; call it often. */
  turn(): void {
    const { odd, holdMs, eventsPerSecond, now } = this.#deps;
    const at = now();
    for (const { relay, task } of dueOf(this.#halfway, at)) {
      relay.report(task);
      this.#events += 1;
      this.#ending.push({ relay, task, at: at + holdMs / 2 });
    }
    for (const { relay, task } of dueOf(this.#ending, at)) {
      relay.complete(task);
      this.#events += 1;
    }
    const wanted = Math.floor(((at - this.#began) * eventsPerSecond) / EVENTS_A_TASK / 1000);
    for (; this.#asked < wanted; this.#asked += 1) {
      const relay = this.#idle.shift();
      if (relay === undefined) {
        odd.add("no idle relay: the hub is behind the offered rate");
        continue;
      }
      relay.askForWork();
      this.#events += 1;
    }
  }

  /** Forgets what was measured so far. */
  beginMeasuring(): void {
    this.#samples.clear();
    this.#events = 0;
  }

  measured(): { readonly events: number; readonly readyToAssign: Latencies; readonly samples: readonly number[] } {
    return { events: this.#events, readyToAssign: this.#samples.sum(), samples: this.#samples.all() };
  }
}

/** Takes what is due from the beginning of a list. */
function dueOf(list: Due[], now: number): Due[] {
  let count = 0;
  while ((list[count]?.at ?? Number.POSITIVE_INFINITY) <= now) count += 1;
  return list.splice(0, count);
}
