import { type CancelTimer, type Clock, type Log, NestError } from "@nest/kit";
import type { Command, Effect } from "./commands.ts";
import type { Desk } from "./desk.ts";
import type { Changes, Ledger } from "./ledger.ts";

/** Where the ledger's changes become durable: all of a batch or nothing of it. */
export interface Disk {
  /** @throws when nothing was written. */
  write(changes: Changes): void;
}

export interface LeaseBookParts {
  readonly ledger: Ledger;
  readonly desk: Desk;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly log: Log;
  /** Carries an effect out; called only after the batch it came from is on disk. */
  readonly carryOut: (effect: Effect) => void;
  /** Runs a flush at the end of this turn of the loop; `setImmediate` unless a simulation decides when. */
  readonly schedule?: (flush: () => void) => void;
  /** Told after each batch, with what it changed. */
  readonly onCommitted: (changes: Changes) => void;
}

interface Waiting {
  readonly command: Command;
  readonly done: ((effects: readonly Effect[]) => void) | undefined;
  readonly failed: ((thrown: unknown) => void) | undefined;
}

/** How long what nobody waits for may wait: a storm of arriving relays is a few transactions, not thousands. */
const LAZY_MS = 50;

/**
 * Grants, renews and ends leases. Everything that arrived in one turn of the event loop is one durable transaction, and no
 * answer leaves before it: a relay that was told something can rely on it through `kill -9`.
 */
export class LeaseBook {
  readonly #parts: LeaseBookParts;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #lazy: CancelTimer | undefined;
  #closed = false;

  constructor(parts: LeaseBookParts) {
    this.#parts = parts;
  }

  /** Hands a command in; its effects are carried out with this turn's batch. */
  submit(command: Command): void {
    this.#push({ command, done: undefined, failed: undefined });
  }

  /** Hands in what nobody waits for: it is written with the next batch, or by itself a moment later. */
  submitLazily(command: Command): void {
    if (this.#closed) return;
    this.#waiting.push({ command, done: undefined, failed: undefined });
    this.#lazy ??= this.#parts.clock.after(LAZY_MS, () => this.flush());
  }

  /**
   * Hands a command in and resolves with its effects once they are durable.
   *
   * @throws NestError `storage_unavailable` when the batch could not be written: nothing has changed.
   */
  ask(command: Command): Promise<readonly Effect[]> {
    return new Promise((done, failed) => this.#push({ command, done, failed }));
  }

  /** Writes what is waiting, now. */
  flush(): void {
    this.#scheduled = false;
    this.#lazy?.();
    this.#lazy = undefined;
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const { ledger, desk, disk, clock, log, onCommitted, carryOut } = this.#parts;
    const now = clock.now();
    const results: Effect[][] = [];
    let changes: Changes | undefined;
    try {
      for (const { command } of batch) results.push(desk.handle(command, now));
      if (ledger.isDirty) {
        changes = ledger.changes;
        disk.write(changes);
      }
    } catch (thrown) {
      ledger.undo();
      desk.refresh(now);
      log.error({ err: thrown, commands: batch.length }, "a batch could not be written, nothing of it holds");
      this.#fail(batch, thrown);
      return;
    }
    ledger.settle();
    if (changes !== undefined) onCommitted(changes);
    for (const [at, { done }] of batch.entries()) {
      const effects = results[at] ?? [];
      for (const effect of effects) carryOut(effect);
      done?.(effects);
    }
  }

  /** Writes what is waiting; later commands are refused. */
  close(): void {
    this.flush();
    this.#closed = true;
  }

  #push(waiting: Waiting): void {
    if (this.#closed) {
      waiting.failed?.(new NestError("hub_stopping", "the hub is stopping", { hint: "try again in a moment" }));
      return;
    }
    this.#waiting.push(waiting);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const { schedule = setImmediate } = this.#parts;
    schedule(() => {
      if (this.#scheduled) this.flush();
    });
  }

  #fail(batch: readonly Waiting[], cause: unknown): void {
    for (const { command, failed } of batch) {
      failed?.(
        new NestError("storage_unavailable", "the change could not be written to disk", {
          hint: "try again; the hub's log says why",
          cause,
        }),
      );
      if (command.kind === "ready") {
        this.#parts.carryOut({ kind: "unavailable", connection: command.connection, reason: "hub_not_ready" });
      }
    }
  }
}
