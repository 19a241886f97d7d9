import { type CancelTimer, type Clock, type Log, NestError } from "@nest/kit";
import type { Changes } from "./changes.ts";
import type { Command, Effect } from "./commands.ts";
import type { Lease } from "./lease.ts";
import type { LeaseDecider } from "./lease-decider.ts";
import type { Ledger } from "./ledger.ts";
import type { BatchResult, LedgerStore, ReplicaUpdate } from "./ledger-store.ts";

export interface CommandBatcherDeps {
  readonly ledger: Ledger;
  readonly decider: LeaseDecider;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs a flush at the end of this turn of the event loop; `setImmediate` by default, a simulation passes its own. */
  readonly schedule?: (flush: () => void) => void;
}

/** Called, in this order, with what became durable. A listener that throws has a bug; the batch stays committed. */
export interface BatchListener {
  /**
   * Connections whose lease became *away* because their replica was declared dead. If one is local, this process stalled: close
   * it, so that its relay reconnects and resumes.
   */
  lost?(connections: readonly string[]): void;
  /** The changes of a batch of this replica; called before its effects. */
  committed?(changes: Changes): void;
  /** The changes of a batch of any replica; called before its effects. */
  changed?(changes: Changes): void;
  /** Other replicas changed more than their batch records tell: read everything again. */
  reloaded?(): void;
  /** An effect to carry out. Of another replica's batch, only effects on this replica's connections are passed. */
  effect?(effect: Effect): void;
}

interface Waiting {
  readonly command: Command;
  readonly done: ((effects: readonly Effect[]) => void) | undefined;
  readonly failed: ((thrown: unknown) => void) | undefined;
}

/** Maximum delay for a command with no waiting caller; batches a reconnect storm into a few transactions. */
const LAZY_MS = 50;
/** Delay before a command that must not be lost is submitted again after a failed write. */
const RETRY_AFTER_MS = 1000;

/**
 * Grants, renews and ends leases. All commands of one turn of the event loop are one transaction, and no answer is sent
 * before it is durable, so a relay can rely on an answer even after `kill -9`. While an asynchronous database writes a batch,
 * new commands collect for the next one.
 */
export class CommandBatcher {
  readonly #deps: CommandBatcherDeps;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #lazy: CancelTimer | undefined;
  #writing: Promise<void> | undefined;
  #syncRequested = false;
  #isBehind = false;
  #closed = false;
  readonly #listeners: BatchListener[] = [];

  constructor(deps: CommandBatcherDeps) {
    this.#deps = deps;
  }

  /** From now on, `listener` is called with everything that becomes durable. */
  listen(listener: BatchListener): void {
    this.#listeners.push(listener);
  }

  /** Submits a command; its effects are carried out with this turn's batch. */
  submit(command: Command): void {
    this.#push({ command, done: undefined, failed: undefined });
  }

  /** Submits a command that no caller waits for: it is written with the next batch, or after a short delay. */
  submitLazily(command: Command): void {
    if (this.#closed) return;
    this.#waiting.push({ command, done: undefined, failed: undefined });
    this.#lazy ??= this.#deps.clock.after(LAZY_MS, () => void this.flush());
  }

  /**
   * Submits a command and resolves with its effects once they are durable.
   *
   * @throws NestError `storage_unavailable` when the batch could not be written: nothing has changed.
   */
  ask(command: Command): Promise<readonly Effect[]> {
    return new Promise((done, failed) => this.#push({ command, done, failed }));
  }

  /** Another replica has written a batch: schedules a flush that reads it. */
  requestSync(): void {
    this.#syncRequested = true;
    this.#schedule();
  }

  /** Whether the last batch may have been committed without this process knowing. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Resolves when this replica knows every batch that other replicas had committed before the call. */
  async sync(): Promise<void> {
    await this.#writing;
    this.#syncRequested = true;
    await this.flush();
  }

  /** Writes the waiting commands now; returns a promise when the database is asynchronous. */
  flush(): void | Promise<void> {
    this.#scheduled = false;
    if (this.#writing !== undefined) return this.#writing;
    this.#lazy?.();
    this.#lazy = undefined;
    const batch = this.#waiting;
    if (batch.length === 0 && !this.#syncRequested) return;
    this.#waiting = [];
    this.#syncRequested = false;
    const { ledger, store } = this.#deps;
    let result: BatchResult | undefined;
    let writing: void | Promise<void>;
    try {
      writing = store.transact((update) => {
        if (update !== undefined) this.#applyUpdate(update);
        result = this.#decide(batch);
        return ledger.isDirty ? result : undefined;
      }, namedIn(batch));
    } catch (thrown) {
      this.#failed(batch, thrown);
      return;
    }
    if (writing === undefined) {
      this.#committed(batch, result);
      return;
    }
    this.#writing = writing
      .then(
        () => this.#committed(batch, result),
        (thrown) => this.#failed(batch, thrown),
      )
      .finally(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0 || this.#syncRequested) this.#schedule();
      });
    return this.#writing;
  }

  /** Writes the waiting commands; later commands are refused. */
  async close(): Promise<void> {
    await this.#writing;
    await this.flush();
    this.#closed = true;
  }

  #decide(batch: readonly Waiting[]): BatchResult {
    const { ledger, decider, clock } = this.#deps;
    const now = clock.now();
    const effects = batch.map(({ command }) => decider.handle(command, now));
    return { changes: ledger.changes, effects };
  }

  /** Applies the batches of other replicas before this replica decides its own. */
  #applyUpdate(update: ReplicaUpdate): void {
    const { ledger, decider, clock } = this.#deps;
    const held = possiblyLost(update, ledger);
    if (update.kind === "everything") ledger.reload(update.rows);
    else for (const { changes } of update.batches) ledger.applyRemote(changes);
    decider.refresh(clock.now());
    const isAway = (taskId: string) => {
      const lease = ledger.lease(taskId);
      return lease !== undefined && lease.connection === undefined;
    };
    const lost = held.flatMap(({ taskId, connection }) =>
      connection !== undefined && isAway(taskId) ? [connection] : [],
    );
    if (lost.length > 0) for (const listener of this.#listeners) listener.lost?.(lost);
    if (update.kind === "everything") {
      for (const listener of this.#listeners) listener.reloaded?.();
      return;
    }
    for (const { changes, effects } of update.batches) {
      for (const listener of this.#listeners) listener.changed?.(changes);
      this.#deliver(effects.flat());
    }
  }

  #committed(batch: readonly Waiting[], result: BatchResult | undefined): void {
    const { ledger } = this.#deps;
    const { isDirty } = ledger;
    ledger.commit();
    this.#isBehind = false;
    if (isDirty && result !== undefined) {
      for (const listener of this.#listeners) {
        listener.committed?.(result.changes);
        listener.changed?.(result.changes);
      }
    }
    for (const [at, { done }] of batch.entries()) {
      const effects = result?.effects[at] ?? [];
      this.#deliver(effects);
      done?.(effects);
    }
  }

  #deliver(effects: readonly Effect[]): void {
    if (effects.length === 0) return;
    for (const listener of this.#listeners) {
      if (listener.effect === undefined) continue;
      for (const effect of effects) listener.effect(effect);
    }
  }

  #failed(batch: readonly Waiting[], cause: unknown): void {
    const { ledger, decider, clock, log } = this.#deps;
    ledger.rollback();
    this.#isBehind = true;
    decider.refresh(clock.now());
    log.error({ err: cause, commands: batch.length }, "a batch could not be written; none of its changes apply");
    const facts = batch.filter(
      ({ command }) => command.kind === "dropped" || command.kind === "verified" || command.kind === "replica_lost",
    );
    if (facts.length > 0) this.#retry(facts);
    for (const { command, failed } of batch) {
      failed?.(
        new NestError("storage_unavailable", "the change could not be written to disk", {
          hint: "try again; the hub's log says why",
          cause,
        }),
      );
      if (command.kind === "ready") {
        this.#deliver([{ kind: "unavailable", connection: command.connection, reason: "hub_not_ready" }]);
      } else if ("taskId" in command && "connection" in command) {
        this.#deliver([{ kind: "resend_required", connection: command.connection }]);
      }
    }
  }

  /** Submits commands again that report facts and whose batch failed: a fact stays true when it could not be written. */
  #retry(facts: readonly Waiting[]): void {
    this.#deps.clock.after(RETRY_AFTER_MS, () => {
      for (const fact of facts) this.#push(fact);
    });
  }

  #push(waiting: Waiting): void {
    if (this.#closed) {
      waiting.failed?.(new NestError("hub_stopping", "the hub is stopping", { hint: "try again in a moment" }));
      return;
    }
    this.#waiting.push(waiting);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    const { schedule = setImmediate } = this.#deps;
    schedule(() => {
      if (this.#scheduled) void this.flush();
    });
  }
}

/** The leases, as known so far, that the update may turn into *away*. */
function possiblyLost(update: ReplicaUpdate, ledger: Ledger): Lease[] {
  if (update.kind === "everything") return [...ledger.liveLeases()];
  return update.batches.flatMap(({ changes }) =>
    [...changes.leases.values()].flatMap(({ taskId, connection }) => {
      const known = connection === undefined ? ledger.lease(taskId) : undefined;
      return known === undefined ? [] : [known];
    }),
  );
}

function namedIn(batch: readonly Waiting[]): string[] {
  const named: string[] = [];
  for (const { command } of batch) if (command.kind === "verified") named.push(command.pull);
  return named;
}
