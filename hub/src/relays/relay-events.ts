/** Told what people watch about relays. */
export interface RelayListener {
  /** A relay came, went, or something that is shown of one changed. */
  changed?(): void;
  /** A relay was given a task, this long after its `ready`. */
  assigned?(waitedMs: number): void;
}

/** Passes on what happens to relays. Whoever watches listens, so that relays know nothing of their watchers. */
export class RelayEvents {
  readonly #listeners: RelayListener[] = [];

  listen(listener: RelayListener): void {
    this.#listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener.changed?.();
  }

  assigned(waitedMs: number): void {
    for (const listener of this.#listeners) listener.assigned?.(waitedMs);
  }
}
