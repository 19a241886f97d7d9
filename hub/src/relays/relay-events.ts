/** Listens to what people watch about relays. */
export interface RelayListener {
  /** A relay connected, left, or changed in a way that pages show. */
  changed?(): void;
  /** A relay was assigned a task, this long after its `ready`. */
  assigned?(waitedMs: number): void;
  /** What the agent of a task printed last, from the relay that holds the task. */
  printed?(task: { readonly gen: number; readonly assignedAt: number }, lines: readonly string[]): void;
}

/** Passes relay events to listeners, so that the relay code does not depend on what watches it. */
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

  printed(task: { readonly gen: number; readonly assignedAt: number }, lines: readonly string[]): void {
    for (const listener of this.#listeners) listener.printed?.(task, lines);
  }
}
