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
  /** Runs a flush at the end of this turn of the loop; `setImmediate` unless a simulation decides when. */
  readonly schedule?: (flush: () => void) => void;
}

/** Told what became durable, in this order. What throws here is a bug: the batch holds whatever a listener does. */
export interface BatchListener {
  /**
   * Connections whose lease became *away* because their replica was declared dead. If one is local, this process stalled: close
   * it, so that its relay reconnects and resumes.
   */
  lost?(connections: readonly string[]): void;
  /** What a batch of this replica changed; told before its effects. */
  committed?(changes: Changes): void;
  /** What a batch of any replica changed; told before its effects. */
  changed?(changes: Changes): void;
  /** More changed at other replicas than is known one by one: read everything again. */
  reloaded?(): void;
  /** An effect to carry out. Of another replica's batch only those that concern its own sockets. */
  effect?(effect: Effect): void;
}

interface Waiting {
  readonly command: Command;
  readonly done: ((effects: readonly Effect[]) => void) | undefined;
  readonly failed: ((thrown: unknown) => void) | undefined;
}

/** Maximum delay for a command with no waiting caller; batches a reconnect storm into a few transactions. */
const LAZY_MS = 50;
/** A fact that could not be written is submitted again after this long. */
const RETRY_AFTER_MS = 1000;

/**
 * Grants, renews and ends leases. Everything that arrived in one turn of the event loop is one durable transaction, and no
 * answer leaves before it: a relay that was told something can rely on it through `kill -9`. On a database that answers later,
 * what arrives meanwhile is the next transaction.
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

  /** Tells `listener` what becomes durable from now on. */
  listen(listener: BatchListener): void {
    this.#listeners.push(listener);
  }

  /** Hands a command in; its effects are carried out with this turn's batch. */
  submit(command: Command): void {
    this.#push({ command, done: undefined, failed: undefined });
  }

  /** Hands in what nobody waits for: it is written with the next batch, or by itself a moment later. */
  submitLazily(command: Command): void {
    if (this.#closed) return;
    this.#waiting.push({ command, done: undefined, failed: undefined });
    this.#lazy ??= this.#deps.clock.after(LAZY_MS, () => void this.flush());
  }

  /**
   * Hands a command in and resolves with its effects once they are durable.
   *
   * @throws NestError `storage_unavailable` when the batch could not be written: nothing has changed.
   */
  ask(command: Command): Promise<readonly Effect[]> {
    return new Promise((done, failed) => this.#push({ command, done, failed }));
  }

  /** Another replica has written something: takes it over with the next batch, or by itself. */
  requestSync(): void {
    this.#syncRequested = true;
    this.#schedule();
  }

  /** Whether the last batch may have been written without this process knowing. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Resolves when everything that other replicas had written when it was called is known here. */
  async sync(): Promise<void> {
    await this.#writing;
    this.#syncRequested = true;
    await this.flush();
  }

  /** Writes what is waiting, now; a promise where the database answers later. */
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
    let decided: BatchResult | undefined;
    let writing: void | Promise<void>;
    try {
      writing = store.transact((update) => {
        if (update !== undefined) this.#applyUpdate(update);
        decided = this.#decide(batch);
        return ledger.isDirty ? decided : undefined;
      }, namedIn(batch));
    } catch (thrown) {
      this.#failed(batch, thrown);
      return;
    }
    if (writing === undefined) {
      this.#committed(batch, decided);
      return;
    }
    this.#writing = writing
      .then(
        () => this.#committed(batch, decided),
        (thrown) => this.#failed(batch, thrown),
      )
      .finally(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0 || this.#syncRequested) this.#schedule();
      });
    return this.#writing;
  }

  /** Writes what is waiting; later commands are refused. */
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

  /** Applies what other replicas made durable, before anything of our own is decided. */
  #applyUpdate(update: ReplicaUpdate): void {
    const { ledger, decider, clock } = this.#deps;
    const held = mayBeLost(update, ledger);
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
      for (const effect of effects.flat()) this.#deliver(effect);
    }
  }

  #committed(batch: readonly Waiting[], decided: BatchResult | undefined): void {
    const { ledger } = this.#deps;
    const { isDirty } = ledger;
    ledger.commit();
    this.#isBehind = false;
    if (isDirty && decided !== undefined) {
      for (const listener of this.#listeners) {
        listener.committed?.(decided.changes);
        listener.changed?.(decided.changes);
      }
    }
    for (const [at, { done }] of batch.entries()) {
      const effects = decided?.effects[at] ?? [];
      for (const effect of effects) this.#deliver(effect);
      done?.(effects);
    }
  }

  #deliver(effect: Effect): void {
    for (const listener of this.#listeners) listener.effect?.(effect);
  }

  #failed(batch: readonly Waiting[], cause: unknown): void {
    const { ledger, decider, clock, log } = this.#deps;
    ledger.rollback();
    this.#isBehind = true;
    decider.refresh(clock.now());
    log.error({ err: cause, commands: batch.length }, "a batch could not be written, nothing of it holds");
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
        this.#deliver({ kind: "unavailable", connection: command.connection, reason: "hub_not_ready" });
      } else if ("taskId" in command && "connection" in command) {
        this.#deliver({ kind: "resend_required", connection: command.connection });
      }
    }
  }

  /** What has happened does not go away because it could not be written: it is tried again. */
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

/** Leases, as they are known, of which news may say that they are away. */
function mayBeLost(update: ReplicaUpdate, ledger: Ledger): Lease[] {
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
