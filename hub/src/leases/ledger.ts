import type { Contributor } from "../contributors/standing.ts";
import { freshItem, type ItemRecord } from "../queue/cooldown.ts";
import type { Lease } from "./lease.ts";

/** How a lease ended. */
export type Outcome =
  | "completed"
  | "failed"
  | "given_back"
  | "declined"
  | "expired"
  | "requeued"
  | "revoked"
  | "stopped";

export type PullRequestState = "none" | "pending" | "verified" | "refused";

/** What is kept of a lease that ended. */
export interface Ending {
  readonly lease: Lease;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  readonly verdict?: string | undefined;
  readonly failureKind?: string | undefined;
  readonly permanent?: boolean;
  readonly prUrl?: string | undefined;
  readonly prState: PullRequestState;
}

/** One line of the activity feed. */
export interface Activity {
  readonly id: number;
  readonly at: number;
  readonly login: string;
  readonly action: string;
  /** The task it is about. */
  readonly task?: ActivityTask | undefined;
  /** A pull request, where there is one; else the issue's own address is meant. */
  readonly url?: string | undefined;
  readonly detail?: string | undefined;
}

/** What the feed tells of a task; a lease has all of it. */
export type ActivityTask = Pick<Lease, "taskId" | "gen" | "repo" | "number" | "title" | "url">;

/** One line of the audit: who changed what, with old and new values. */
export interface AuditLine {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A pull request's verification, by the task that named it. */
export interface PullRequestVerdict {
  readonly taskId: string;
  readonly gen: number;
  readonly state: "verified" | "refused";
  readonly because?: string | undefined;
}

/** Everything that one batch of commands changed; written in one transaction. */
export interface Changes {
  /** Leases made in this batch, with which of their contributor's assignments each is (from 1). */
  readonly granted: Map<string, number>;
  readonly leases: Map<string, Lease>;
  readonly endings: Ending[];
  readonly items: Map<string, ItemRecord>;
  readonly contributors: Map<string, Contributor>;
  readonly activity: Activity[];
  readonly audit: AuditLine[];
  readonly pullRequests: PullRequestVerdict[];
  /** Pull requests counted for the first time: the task's generation by address. */
  readonly counted: Map<string, number>;
  /** Settings changed, by name; undefined removes one. */
  readonly settings: Map<string, unknown>;
  /** The last generation given out. */
  gen: number | undefined;
}

/** What the ledger needs of what is on disk beyond the live rows it keeps in memory. */
export interface LedgerPast {
  /** When the contributor's `nth` assignment (from 1) was made (ms); undefined when unknown. */
  assignedAt(contributorId: string, nth: number): number | undefined;
  /** Whether a pull request was counted before, whatever task named it. */
  isCounted(prUrl: string): boolean;
}

export interface LedgerRows {
  readonly leases: readonly Lease[];
  readonly items: readonly ItemRecord[];
  readonly contributors: readonly Contributor[];
  readonly gen: number;
  readonly activityId: number;
  readonly settings?: ReadonlyMap<string, unknown>;
}

/** Settings named with this and an issue's key hold that issue back. */
export const HOLD_PREFIX = "hold:";

function noChanges(): Changes {
  return {
    granted: new Map(),
    leases: new Map(),
    endings: [],
    items: new Map(),
    contributors: new Map(),
    activity: [],
    audit: [],
    pullRequests: [],
    counted: new Map(),
    settings: new Map(),
    gen: undefined,
  };
}

/**
 * The live rows of leases, issues and contributors, in memory, with the changes of the batch under way. What it holds is what
 * the disk holds: `take` hands the changes over to be written, `settle` forgets how to undo them once they are, `undo` puts
 * everything back when they could not be. A lease that ended is gone from here.
 */
export class Ledger {
  readonly #past: LedgerPast;
  readonly #leases = new Map<string, Lease>();
  readonly #byKey = new Map<string, string>();
  readonly #byIdentity = new Map<string, Set<string>>();
  readonly #byContributor = new Map<string, Set<string>>();
  readonly #items = new Map<string, ItemRecord>();
  readonly #contributors = new Map<string, Contributor>();
  readonly #byLogin = new Map<string, string>();
  readonly #byDigest = new Map<string, string>();
  readonly #settings: Map<string, unknown>;
  #gen: number;
  #activityId: number;
  #changes = noChanges();
  #undo: (() => void)[] = [];
  /** Keys of the issues touched since the last `touched()`. */
  #touched = new Set<string>();
  #grantsInBatch = new Map<string, number>();

  constructor(rows: LedgerRows, past: LedgerPast) {
    this.#past = past;
    this.#gen = rows.gen;
    this.#activityId = rows.activityId;
    this.#settings = new Map(rows.settings);
    for (const lease of rows.leases) this.#index(lease);
    for (const item of rows.items) this.#items.set(item.key, item);
    for (const contributor of rows.contributors) this.#indexContributor(contributor);
  }

  lease(taskId: string): Lease | undefined {
    return this.#leases.get(taskId);
  }

  leaseOnItem(key: string): Lease | undefined {
    const taskId = this.#byKey.get(key);
    return taskId === undefined ? undefined : this.#leases.get(taskId);
  }

  leasesOfIdentity(identity: string): Lease[] {
    return this.#collect(this.#byIdentity.get(identity));
  }

  leasesOfContributor(contributorId: string): Lease[] {
    return this.#collect(this.#byContributor.get(contributorId));
  }

  /** How many tasks a contributor holds, over all their sessions. */
  heldBy(contributorId: string): number {
    return this.#byContributor.get(contributorId)?.size ?? 0;
  }

  get leaseCount(): number {
    return this.#leases.size;
  }

  liveLeases(): IterableIterator<Lease> {
    return this.#leases.values();
  }

  item(key: string): ItemRecord | undefined {
    return this.#items.get(key);
  }

  items(): IterableIterator<ItemRecord> {
    return this.#items.values();
  }

  contributor(id: string): Contributor | undefined {
    return this.#contributors.get(id);
  }

  contributorByLogin(login: string): Contributor | undefined {
    const id = this.#byLogin.get(login.toLowerCase());
    return id === undefined ? undefined : this.#contributors.get(id);
  }

  contributorByDigest(tokenDigest: string): Contributor | undefined {
    const id = this.#byDigest.get(tokenDigest);
    return id === undefined ? undefined : this.#contributors.get(id);
  }

  contributors(): IterableIterator<Contributor> {
    return this.#contributors.values();
  }

  get contributorCount(): number {
    return this.#contributors.size;
  }

  /** When a contributor's assignment number `nth` was made; those of this batch were made `now`. */
  assignedAt(contributor: Contributor, nth: number, now: number): number | undefined {
    const inBatch = this.#grantsInBatch.get(contributor.id) ?? 0;
    return nth > contributor.grants - inBatch ? now : this.#past.assignedAt(contributor.id, nth);
  }

  isCounted(prUrl: string): boolean {
    return this.#changes.counted.has(prUrl) || this.#past.isCounted(prUrl);
  }

  /** The next generation: strictly rising, restored from disk at boot. */
  nextGen(): number {
    const before = this.#gen;
    this.#undo.push(() => {
      this.#gen = before;
    });
    this.#gen += 1;
    this.#changes.gen = this.#gen;
    return this.#gen;
  }

  /** A new lease, counted among its contributor's assignments. */
  grant(lease: Lease, contributor: Contributor): void {
    this.putLease(lease);
    this.#grantsInBatch.set(contributor.id, (this.#grantsInBatch.get(contributor.id) ?? 0) + 1);
    this.#changes.granted.set(lease.taskId, contributor.grants + 1);
    this.putContributor({ ...contributor, grants: contributor.grants + 1, lastActiveAt: lease.assignedAt });
  }

  putLease(lease: Lease): void {
    const before = this.#leases.get(lease.taskId);
    if (before === undefined) {
      this.#index(lease);
      this.#undo.push(() => this.#forget(lease));
    } else {
      this.#leases.set(lease.taskId, lease);
      this.#undo.push(() => this.#leases.set(before.taskId, before));
    }
    this.#touched.add(lease.key);
    this.#changes.leases.set(lease.taskId, lease);
  }

  end(ending: Ending): void {
    const { lease } = ending;
    this.#forget(lease);
    this.#undo.push(() => this.#index(lease));
    this.#touched.add(lease.key);
    this.#changes.endings.push(ending);
  }

  /** Changes what is remembered of an issue. */
  changeItem(key: string, change: (item: ItemRecord) => ItemRecord): void {
    const before = this.#items.get(key);
    const after = change(before ?? freshItem(key));
    if (after === before) return;
    this.#items.set(key, after);
    this.#undo.push(() => (before === undefined ? this.#items.delete(key) : this.#items.set(key, before)));
    this.#touched.add(key);
    this.#changes.items.set(key, after);
  }

  putContributor(contributor: Contributor): void {
    const before = this.#contributors.get(contributor.id);
    if (before !== undefined && before.tokenDigest !== contributor.tokenDigest)
      this.#byDigest.delete(before.tokenDigest);
    this.#indexContributor(contributor);
    this.#undo.push(() => {
      if (before?.tokenDigest !== contributor.tokenDigest) this.#byDigest.delete(contributor.tokenDigest);
      if (before !== undefined) this.#indexContributor(before);
      else {
        this.#contributors.delete(contributor.id);
        this.#byLogin.delete(contributor.login.toLowerCase());
      }
    });
    this.#changes.contributors.set(contributor.id, contributor);
  }

  note(activity: Omit<Activity, "id">): void {
    this.#activityId += 1;
    this.#changes.activity.push({ ...activity, id: this.#activityId });
  }

  audit(line: AuditLine): void {
    this.#changes.audit.push(line);
  }

  /** A durable setting's value; the same object for as long as nobody changes it. */
  setting(name: string): unknown {
    return this.#settings.get(name);
  }

  /** Names and values of the settings that begin with `prefix`, oldest first. */
  settingsOf(prefix: string): [string, unknown][] {
    return [...this.#settings].filter(([name]) => name.startsWith(prefix));
  }

  /** Changes a setting; undefined removes it. */
  putSetting(name: string, value: unknown): void {
    const before = this.#settings.get(name);
    const put = (to: unknown) => (to === undefined ? this.#settings.delete(name) : this.#settings.set(name, to));
    put(value);
    this.#undo.push(() => put(before));
    this.#changes.settings.set(name, value);
    if (name.startsWith(HOLD_PREFIX)) this.#touched.add(name.slice(HOLD_PREFIX.length));
  }

  judgePullRequest(verdict: PullRequestVerdict): void {
    this.#changes.pullRequests.push(verdict);
  }

  countPullRequest(prUrl: string, gen: number): void {
    this.#changes.counted.set(prUrl, gen);
  }

  /** Whether the batch under way changed anything. */
  get isDirty(): boolean {
    return (
      this.#undo.length > 0 ||
      this.#changes.activity.length > 0 ||
      this.#changes.audit.length > 0 ||
      this.#changes.pullRequests.length > 0
    );
  }

  /** Keys of issues touched since this was last asked: what a queue must look at again. */
  touched(): ReadonlySet<string> {
    const touched = this.#touched;
    if (touched.size > 0) this.#touched = new Set();
    return touched;
  }

  /** The changes of the batch under way, to be written. */
  get changes(): Changes {
    return this.#changes;
  }

  /** The changes are on disk: they are what was. */
  settle(): void {
    this.#changes = noChanges();
    this.#undo = [];
    this.#grantsInBatch.clear();
  }

  /** The changes could not be written: everything is as before the batch. */
  undo(): void {
    for (const step of this.#undo.reverse()) step();
    for (const key of this.#changes.items.keys()) this.#touched.add(key);
    for (const lease of this.#changes.leases.values()) this.#touched.add(lease.key);
    for (const ending of this.#changes.endings) this.#touched.add(ending.lease.key);
    for (const name of this.#changes.settings.keys()) {
      if (name.startsWith(HOLD_PREFIX)) this.#touched.add(name.slice(HOLD_PREFIX.length));
    }
    this.settle();
  }

  #collect(taskIds: ReadonlySet<string> | undefined): Lease[] {
    if (taskIds === undefined) return [];
    const leases: Lease[] = [];
    for (const taskId of taskIds) {
      const lease = this.#leases.get(taskId);
      if (lease !== undefined) leases.push(lease);
    }
    return leases;
  }

  #index(lease: Lease): void {
    this.#leases.set(lease.taskId, lease);
    this.#byKey.set(lease.key, lease.taskId);
    addTo(this.#byIdentity, lease.identity, lease.taskId);
    addTo(this.#byContributor, lease.contributorId, lease.taskId);
  }

  #forget(lease: Lease): void {
    this.#leases.delete(lease.taskId);
    if (this.#byKey.get(lease.key) === lease.taskId) this.#byKey.delete(lease.key);
    removeFrom(this.#byIdentity, lease.identity, lease.taskId);
    removeFrom(this.#byContributor, lease.contributorId, lease.taskId);
  }

  #indexContributor(contributor: Contributor): void {
    this.#contributors.set(contributor.id, contributor);
    this.#byLogin.set(contributor.login.toLowerCase(), contributor.id);
    if (contributor.tokenDigest !== "") this.#byDigest.set(contributor.tokenDigest, contributor.id);
  }
}

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  if (values === undefined) index.set(key, new Set([value]));
  else values.add(value);
}

function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  if (values === undefined) return;
  values.delete(value);
  if (values.size === 0) index.delete(key);
}
