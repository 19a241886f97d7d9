import type { Queue } from "@nest/dispatch";
import { type Clock, TimeSlicer } from "@nest/kit";
import type { Gateway } from "../relays/gateway.ts";
import type { QueueSettings } from "./queue-settings.ts";

export interface ConfigApplierDeps {
  readonly queueSettings: QueueSettings;
  readonly queue: Queue;
  readonly gateway: Gateway;
  readonly clock: Clock;
}

/**
 * Carries a changed configuration to what keeps something of it: the queue is judged anew, a slice at a time, and relays hear
 * a new announcement. Everything else asks the queue settings at each decision.
 */
export class ConfigApplier {
  readonly #deps: ConfigApplierDeps;
  #filter: unknown;
  #announcement: string;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: ConfigApplierDeps) {
    this.#deps = deps;
    const { filter, settings } = deps.queueSettings.rules;
    this.#filter = filter;
    this.#announcement = settings.contribute_announcement;
    deps.queue.setFilter(filter, deps.clock.now());
  }

  /** The configuration in force is another one now. */
  changed(): void {
    const { queueSettings, queue, gateway, clock } = this.#deps;
    const { filter, settings } = queueSettings.rules;
    if (settings.contribute_announcement !== this.#announcement) {
      this.#announcement = settings.contribute_announcement;
      if (this.#announcement !== "") gateway.announce(this.#announcement);
    }
    if (filter !== this.#filter) {
      this.#filter = filter;
      this.#work = this.#work.then(() => queue.refilter(filter, new TimeSlicer(), () => clock.now()));
    }
    this.#work = this.#work.then(() => gateway.offerAgain());
  }

  /** Resolves once the queue has been judged by the configuration in force. */
  settled(): Promise<void> {
    return this.#work;
  }
}
