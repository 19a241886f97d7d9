import type { Queue } from "@nest/dispatch";
import { type Clock, TimeSlicer } from "@nest/kit";
import type { QueueSettings } from "./queue-settings.ts";

export interface ConfigApplierDeps {
  readonly queueSettings: QueueSettings;
  readonly queue: Queue;
  readonly clock: Clock;
}

/** Called when a changed configuration applies. */
export interface ConfigListener {
  /** The announcement changed and is not empty. */
  announced(message: string): void;
  /** All issues of the queue were judged by the rules in force. */
  applied(): void;
}

/**
 * Applies a changed configuration: judges the issues of the queue again, a slice at a time, and tells listeners about a new
 * announcement. Everything else reads the queue settings at each decision.
 */
export class ConfigApplier {
  readonly #deps: ConfigApplierDeps;
  readonly #listeners: ConfigListener[] = [];
  #filter: unknown;
  #announcement: string;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: ConfigApplierDeps) {
    this.#deps = deps;
    const { filter, settings } = deps.queueSettings.rules;
    this.#filter = filter;
    this.#announcement = settings.contribute_announcement;
    deps.queue.setFilter(filter, deps.clock.now());
    deps.queueSettings.whenCompiled(() => this.changed());
  }

  listen(listener: ConfigListener): void {
    this.#listeners.push(listener);
  }

  /** Call when the configuration in force changed. */
  changed(): void {
    const { queueSettings, queue, clock } = this.#deps;
    const { filter, settings } = queueSettings.rules;
    if (settings.contribute_announcement !== this.#announcement) {
      this.#announcement = settings.contribute_announcement;
      if (this.#announcement !== "") for (const listener of this.#listeners) listener.announced(this.#announcement);
    }
    if (filter !== this.#filter) {
      this.#filter = filter;
      this.#work = this.#work.then(() => queue.refilter(filter, new TimeSlicer(), () => clock.now()));
    }
    this.#work = this.#work.then(() => {
      for (const listener of this.#listeners) listener.applied();
    });
  }

  /** Resolves once the queue has been judged by the configuration in force. */
  settled(): Promise<void> {
    return this.#work;
  }
}
