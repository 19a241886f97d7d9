import type {
  Changes,
  Contributor,
  Decided,
  Disk,
  Ending,
  ItemRecord,
  Lease,
  LedgerPast,
  LedgerRows,
} from "@nest/hub/dispatch";

/** The hub's process died at a storage call; nothing in its memory exists any more. */
export class Crash extends Error {}

/** What the next write does instead of succeeding. */
export type Fault = "crash before" | "crash after" | "refuse";

/** A disk that keeps what was committed through crashes, and fails when told to. */
export class SimulatedDisk implements Disk, LedgerPast {
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
  /** Told what each committed batch changed. */
  onCommit: (changes: Changes) => void = () => {};

  load(now: number, leaseTtlMs: number): LedgerRows {
    return {
      leases: [...this.leases.values()].map((lease) => ({
        ...lease,
        connection: undefined,
        expiresAt: Math.min(lease.expiresAt, now + leaseTtlMs),
      })),
      items: [...this.items.values()],
      contributors: [...this.contributors.values()],
      gen: this.gen,
      activityId: this.activityId,
    };
  }

  transact(decide: (news: undefined) => Decided | undefined): void {
    const decided = decide(undefined);
    if (decided !== undefined) this.#write(decided.changes);
  }

  #write(changes: Changes): void {
    const { fault } = this;
    this.fault = undefined;
    if (fault === "crash before") this.#crash();
    if (fault === "refuse") throw new Error("the disk is full");
    this.#commit(changes);
    if (fault === "crash after") this.#crash();
  }

  assignedAt(contributorId: string, nth: number): number | undefined {
    return this.grants.get(contributorId)?.[nth - 1];
  }

  isCounted(prUrl: string): boolean {
    return this.counted.has(prUrl);
  }

  #crash(): never {
    this.crashed = true;
    throw new Crash();
  }

  #commit(changes: Changes): void {
    this.onCommit(changes);
    for (const ending of changes.endings) {
      this.ended.add(ending.lease.taskId);
      this.leases.delete(ending.lease.taskId);
      if (ending.prState === "pending") this.pending.set(ending.lease.taskId, ending);
    }
    for (const [taskId, lease] of changes.leases) if (!this.ended.has(taskId)) this.leases.set(taskId, lease);
    for (const [key, item] of changes.items) this.items.set(key, item);
    for (const [id, contributor] of changes.contributors) this.contributors.set(id, contributor);
    for (const [taskId, nth] of changes.granted) {
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
