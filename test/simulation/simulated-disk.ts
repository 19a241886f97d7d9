import {
  type BatchRecord,
  type BatchResult,
  batchOfRecord,
  type Changes,
  type Contributor,
  type Ending,
  type ItemRecord,
  type Lease,
  type LedgerPast,
  type LedgerRows,
  type LedgerStore,
  type ReplicaUpdate,
  recordOf,
} from "@nest/dispatch";
import { durations } from "@nest/protocol";

/** The hub's process died at a storage call; nothing in its memory exists any more. */
export class Crash extends Error {}

/** What the next write does instead of succeeding. */
export type Fault = "crash before" | "crash after" | "refuse" | "lose the answer";

/** The storage as one replica sees it. */
export interface Storage {
  readonly disk: LedgerStore;
  readonly past: LedgerPast;
  load(now: number): Promise<LedgerRows> | LedgerRows;
}

/** A disk that keeps what was committed through crashes, and fails when told to. Replicas may share it: each has a way to it. */
export class SimulatedDisk implements LedgerPast {
  readonly leases = new Map<string, Lease>();
  readonly items = new Map<string, ItemRecord>();
  readonly contributors = new Map<string, Contributor>();
  readonly counted = new Set<string>();
  /** Completions whose pull request nobody has judged yet, by task. */
  readonly pending = new Map<string, Ending>();
  /** Every assignment ever made, by contributor. */
  readonly grants = new Map<string, number[]>();
  readonly ended = new Set<string>();
  gen = 0;
  activityId = 0;
  fault: Fault | undefined;
  /** The hub's process died in the last write; a world restarts it. */
  crashed = false;
  /** Every batch, as replicas that share a database read it. */
  readonly #batches: BatchRecord[] = [];
  #commits = 0;
  /** Told what each committed batch changed. */
  onCommit: (changes: Changes) => void = () => {};

  /** The storage of a hub that has the disk for itself. */
  alone(): Storage {
    const transact = (decide: (news: undefined) => BatchResult | undefined) => {
      const decided = decide(undefined);
      if (decided !== undefined) this.commit(decided.changes);
    };
    return { disk: { transact }, past: this, load: (now) => this.#rows(now, () => false) };
  }

  /** The storage of one of several replicas: it receives every batch that others wrote, as JSON. */
  shared(replica: string, isLive: (connection: string) => boolean): Storage {
    let seen = 0;
    const transact = (decide: (news: ReplicaUpdate | undefined) => BatchResult | undefined) => {
      const batches = this.#batches.slice(seen).map((record) => batchOfRecord(structuredClone(record)));
      seen = this.#batches.length;
      const decided = decide(batches.length === 0 ? undefined : { kind: "batches", batches });
      if (decided === undefined) return;
      const record = recordOf(decided, replica);
      // A replica that never learns whether its batch was written receives it like a batch of any other replica.
      if (this.fault === "lose the answer") {
        this.fault = undefined;
        this.#commit(decided.changes);
        this.#batches.push(JSON.parse(JSON.stringify(record)) as BatchRecord);
        throw new Error("the connection was lost");
      }
      const known = this.#commits;
      try {
        this.commit(decided.changes);
      } finally {
        if (this.#commits > known) this.#batches.push(JSON.parse(JSON.stringify(record)) as BatchRecord);
      }
      seen = this.#batches.length;
    };
    const load = (now: number) => {
      seen = this.#batches.length;
      return this.#rows(now, isLive);
    };
    return { disk: { transact }, past: this, load };
  }

  /** Makes a batch durable, or does what the fault says. */
  commit(changes: Changes): void {
    const { fault } = this;
    this.fault = undefined;
    if (fault === "crash before") this.#crash();
    if (fault === "refuse" || fault === "lose the answer") throw new Error("the disk is full");
    this.#commit(changes);
    if (fault === "crash after") this.#crash();
  }

  assignedAt(contributorId: string, nth: number): number | undefined {
    return this.grants.get(contributorId)?.[nth - 1];
  }

  isCounted(pull: string): boolean {
    return this.counted.has(pull);
  }

  #rows(now: number, isLive: (connection: string) => boolean): LedgerRows {
    return {
      leases: [...this.leases.values()].map((lease) => ({
        ...lease,
        ...(lease.connection !== undefined && isLive(lease.connection)
          ? {}
          : { connection: undefined, awaySince: now }),
        expiresAt: Math.min(lease.expiresAt, now + durations.leaseTtlMs),
      })),
      items: [...this.items.values()],
      contributors: [...this.contributors.values()],
      gen: this.gen,
      activityId: this.activityId,
    };
  }

  #crash(): never {
    this.crashed = true;
    throw new Crash();
  }

  #commit(changes: Changes): void {
    this.onCommit(changes);
    this.#commits += 1;
    for (const ending of changes.endings) {
      this.ended.add(ending.lease.taskId);
      this.leases.delete(ending.lease.taskId);
      if (ending.prState === "pending") this.pending.set(ending.lease.taskId, ending);
    }
    for (const [taskId, lease] of changes.leases) if (!this.ended.has(taskId)) this.leases.set(taskId, lease);
    for (const [key, item] of changes.items) this.items.set(key, item);
    for (const [id, contributor] of changes.contributors) this.contributors.set(id, contributor);
    for (const [taskId, { nth }] of changes.granted) {
      const lease = changes.leases.get(taskId);
      if (lease === undefined) continue;
      const grants = this.grants.get(lease.contributorId) ?? [];
      grants[nth - 1] = lease.assignedAt;
      this.grants.set(lease.contributorId, grants);
    }
    for (const { taskId } of changes.pullRequests) this.pending.delete(taskId);
    for (const url of changes.counted.keys()) this.counted.add(url);
    for (const { id } of changes.activity) this.activityId = Math.max(this.activityId, id);
    if (changes.gen !== undefined) this.gen = changes.gen;
  }
}
