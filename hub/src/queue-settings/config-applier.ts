import type { Queue } from "@nest/dispatch";
import { Breath, type Clock } from "@nest/kit";
import type { Gateway } from "../relays/gateway.ts";
import type { Governor } from "./queue-settings.ts";

export interface AppliedParts {
  readonly governor: Governor;
  readonly queue: Queue;
  readonly gateway: Gateway;
  readonly clock: Clock;
}

/**
 * Carries a changed configuration to what keeps something of it: the queue is judged anew, a slice at a time, and relays hear
 * a new announcement. Everything else asks the governor at each decision.
 */
export class Applied {
  readonly #parts: AppliedParts;
  #filter: unknown;
  #announcement: string;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: AppliedParts) {
    this.#parts = parts;
    const { filter, settings } = parts.governor.rules;
    this.#filter = filter;
    this.#announcement = settings.contribute_announcement;
    parts.queue.setFilter(filter, parts.clock.now());
  }

  /** The configuration in force is another one now. */
  changed(): void {
    const { governor, queue, gateway, clock } = this.#parts;
    const { filter, settings } = governor.rules;
    if (settings.contribute_announcement !== this.#announcement) {
      this.#announcement = settings.contribute_announcement;
      if (this.#announcement !== "") gateway.announce(this.#announcement);
    }
    if (filter !== this.#filter) {
      this.#filter = filter;
      this.#work = this.#work.then(() => queue.refilter(filter, new Breath(), () => clock.now()));
    }
    this.#work = this.#work.then(() => gateway.offerAgain());
  }

  /** Resolves once the queue has been judged by the configuration in force. */
  settled(): Promise<void> {
    return this.#work;
  }
}
