import type { Changes, LedgerRows } from "./changes.ts";
import type { Effect } from "./commands.ts";

/** The result of deciding one batch. */
export interface BatchResult {
  readonly changes: Changes;
  /** The effects of each command. */
  readonly effects: readonly (readonly Effect[])[];
}

/** What other replicas committed since this one last looked: each of their batches, or a complete reload. */
export type ReplicaUpdate =
  | { readonly kind: "batches"; readonly batches: readonly BatchResult[] }
  | { readonly kind: "everything"; readonly rows: LedgerRows };

/** Where the ledger's changes become durable: a batch is written whole or not at all. */
export interface LedgerStore {
  /**
   * Calls `decide` with the durable state up to date and makes the result durable; `decide` returns undefined when nothing
   * changed. The embedded database belongs to one hub: it passes no update and is done when this returns. On a shared
   * database, replicas decide one after the other, and the batch is durable when the promise resolves.
   *
   * `named` are the pull requests that the batch may ask about ({@link LedgerPast.isCounted}).
   *
   * @throws (or rejects) when the batch is not known to be durable: the ledger is rolled back, and the next update shows
   * whether it was committed after all.
   */
  transact(
    decide: (update: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): void | Promise<void>;
}
