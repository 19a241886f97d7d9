import type { Changes, LedgerRows } from "./changes.ts";
import type { Effect } from "./commands.ts";

/** What one batch came to. */
export interface BatchResult {
  readonly changes: Changes;
  /** What follows, by command. */
  readonly effects: readonly (readonly Effect[])[];
}

/** What other replicas made durable since this one looked last: each of their batches, or everything anew. */
export type ReplicaUpdate =
  | { readonly kind: "batches"; readonly batches: readonly BatchResult[] }
  | { readonly kind: "everything"; readonly rows: LedgerRows };

/** Where the ledger's changes become durable: all of a batch or nothing of it. */
export interface LedgerStore {
  /**
   * Has a batch decided on what is durable at this moment and makes it durable; `decide` answers undefined when nothing changed.
   * The embedded database belongs to one hub: it has no news and is done when this returns. One that replicas share decides
   * their batches one after the other and is done when the promise resolves.
   *
   * `named` are the pull requests that the batch may ask about ({@link LedgerPast.isCounted}).
   *
   * @throws (or rejects) when the batch is not known to be durable: the ledger is put back, and news tells if it was after all.
   */
  transact(
    decide: (news: ReplicaUpdate | undefined) => BatchResult | undefined,
    named: readonly string[],
  ): void | Promise<void>;
}
