import type { ActivityEvent } from "@nest/protocol";
import {
  type Activity,
  type ActivityTask,
  type AuditLine,
  type Changes,
  type Counted,
  type Ending,
  type LedgerPast,
  type LedgerRows,
  noChanges,
  type PullRequestVerdict,
} from "./changes.ts";
import type { Contributor } from "./contributor.ts";
import { freshItem, type ItemRecord } from "./cooldown.ts";
import type { Lease } from "./lease.ts";

/** Prefix of a setting's name; the key follows. The setting is an operator's hold on the issue. */
export const HOLD_PREFIX = "hold:";

/** Prefix of the settings that are pauses (`pause.ts`). */
export const PAUSE_PREFIX = "pause:";

/** The same, of the pauses of repositories; the repository's name follows, in lower case. */
export const REPOSITORY_PAUSE_PREFIX = `${PAUSE_PREFIX}repository:`;

/**
 * The live rows of leases, issues and contributors in memory, and the changes of the current batch. Between batches it equals
 * the database: `changes` are written, `commit` discards the undo log once they are durable, `rollback` restores the previous
 * state if the write failed. Ended leases are not kept.
 */
export class Ledger {
  readonly #past: LedgerPast;
  readonly #leases = new Map<string, Lease>();
  readonly #byKey = new Map<string, string>();
  readonly #byContributor = new Map<string, Set<string>>();
  readonly #items = new Map<string, ItemRecord>();
  readonly #contributors = new Map<string, Contributor>();
  readonly #byLogin = new Map<string, string>();
  readonly #byAccount = new Map<number, string>();
  readonly #byDigest = new Map<string, string>();
  readonly #settings = new Map<string, unknown>();
  #gen: number;
  #activityId: number;
  #changes = noChanges();
  #undo: (() => void)[] = [];
  /** Keys of the issues touched since the last `touched()`; the name of a repository stands for all of its issues. */
  #touched = new Set<string>();
  #grantsInBatch = new Map<string, number>();

  constructor(rows: LedgerRows, past: LedgerPast) {
    this.#past = past;
    this.#gen = rows.gen;
    this.#activityId = rows.activityId;
    this.#fill(rows);
  }

  /** Applies a durable batch of another replica; it is not written again. Call it only between batches. */
  applyRemote(changes: Changes): void {
    for (const one of changes.contributors.values()) {
      // A replica of an older release does not know account numbers.
      this.putContributor({ ...one, accountId: one.accountId ?? this.#contributors.get(one.id)?.accountId });
    }
    for (const lease of changes.leases.values()) this.putLease(lease);
    for (const ending of changes.endings) this.end(ending);
    for (const item of changes.items.values()) this.changeItem(item.key, () => item);
    for (const [name, value] of changes.settings) this.putSetting(name, value);
    this.#gen = changes.gen ?? this.#gen;
    for (const { id } of changes.activity) this.#activityId = Math.max(this.#activityId, id);
    this.commit();
  }

  /** Replaces all rows, because not every batch of the other replicas is known. Call it only between batches. */
  reload(rows: LedgerRows): void {
    for (const key of this.#byKey.keys()) this.#touched.add(key);
    for (const key of this.#items.keys()) this.#touched.add(key);
    for (const name of this.#settings.keys()) this.#touchNamedBy(name);
    const leases = [this.#leases, this.#byKey, this.#byContributor, this.#items];
    const contributors = [this.#contributors, this.#byLogin, this.#byAccount, this.#byDigest];
    for (const index of [...leases, ...contributors, this.#settings]) index.clear();
    this.#gen = rows.gen;
    this.#activityId = rows.activityId;
    this.#fill(rows);
    for (const key of this.#byKey.keys()) this.#touched.add(key);
    for (const key of this.#items.keys()) this.#touched.add(key);
    for (const name of this.#settings.keys()) this.#touchNamedBy(name);
  }

  lease(taskId: string): Lease | undefined {
    return this.#leases.get(taskId);
  }

  leaseOnItem(key: string): Lease | undefined {
    const taskId = this.#byKey.get(key);
    return taskId === undefined ? undefined : this.#leases.get(taskId);
  }

  leasesOfContributor(contributorId: string): Lease[] {
    return this.#collect(this.#byContributor.get(contributorId));
  }

  /** How many tasks a contributor holds, in all sessions. */
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

  /** The record of an account, whatever its current login is. */
  contributorByAccount(accountId: number): Contributor | undefined {
    const id = this.#byAccount.get(accountId);
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

  /** When a contributor's assignment number `nth` was made; an assignment of the current batch counts as made `now`. */
  assignedAt(contributor: Contributor, nth: number, now: number): number | undefined {
    const inBatch = this.#grantsInBatch.get(contributor.id) ?? 0;
    return nth > contributor.grants - inBatch ? now : this.#past.assignedAt(contributor.id, nth);
  }

  isCounted(pull: string): boolean {
    return this.#changes.counted.has(pull) || this.#past.isCounted(pull);
  }

  /** The next generation: strictly increasing, read from the database at start. */
  nextGen(): number {
    const before = this.#gen;
    this.#undo.push(() => {
      this.#gen = before;
    });
    this.#gen += 1;
    this.#changes.gen = this.#gen;
    return this.#gen;
  }

  /** Adds a new lease and counts it as an assignment of the contributor. */
  grant(lease: Lease, contributor: Contributor): void {
    this.putLease(lease);
    this.#grantsInBatch.set(contributor.id, (this.#grantsInBatch.get(contributor.id) ?? 0) + 1);
    const nth = contributor.grants + 1;
    this.#changes.granted.set(lease.taskId, { nth, previous: contributor.lastGen });
    this.putContributor({ ...contributor, grants: nth, lastGen: lease.gen, lastActiveAt: lease.assignedAt });
  }

  putLease(lease: Lease): void {
    const before = this.#leases.get(lease.taskId);
    if (before === undefined) {
      this.#index(lease);
      this.#undo.push(() => this.#forget(lease));
      this.#touched.add(lease.key);
    } else {
      this.#leases.set(lease.taskId, lease);
      this.#undo.push(() => this.#leases.set(before.taskId, before));
    }
    this.#changes.leases.set(lease.taskId, lease);
  }

  end(ending: Ending): void {
    const { lease } = ending;
    this.#forget(lease);
    this.#undo.push(() => this.#index(lease));
    this.#touched.add(lease.key);
    this.#changes.endings.push(ending);
  }

  /** Changes the record of an issue. */
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
    if (before !== undefined) this.#forgetNames(before);
    this.#indexContributor(contributor);
    this.#undo.push(() => {
      this.#forgetNames(contributor);
      if (before === undefined) this.#contributors.delete(contributor.id);
      else this.#indexContributor(before);
    });
    this.#changes.contributors.set(contributor.id, contributor);
  }

  /** Adds a line to the activity feed: who did it, and when. */
  note(event: ActivityEvent<ActivityTask>, login: string, at: number): void {
    const { action, task, url, detail }: Omit<Activity, "id" | "at" | "login"> = event;
    this.#activityId += 1;
    this.#changes.activity.push({ id: this.#activityId, at, login, action, task, url, detail });
  }

  audit(line: AuditLine): void {
    this.#changes.audit.push(line);
  }

  /** A setting's value; the same object until somebody changes it. */
  setting(name: string): unknown {
    return this.#settings.get(name);
  }

  /** Names and values of the settings whose names begin with `prefix`. */
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
    this.#touchNamedBy(name);
  }

  judgePullRequest(verdict: PullRequestVerdict): void {
    this.#changes.pullRequests.push(verdict);
  }

  countPullRequest(pull: string, counted: Counted): void {
    this.#changes.counted.set(pull, counted);
  }

  /** Whether the current batch changed anything. */
  get isDirty(): boolean {
    return (
      this.#undo.length > 0 ||
      this.#changes.activity.length > 0 ||
      this.#changes.audit.length > 0 ||
      this.#changes.pullRequests.length > 0
    );
  }

  /** The keys of issues and the names of repositories touched since the last call; the queue checks these again. */
  touched(): ReadonlySet<string> {
    const touched = this.#touched;
    if (touched.size > 0) this.#touched = new Set();
    return touched;
  }

  /** The changes of the current batch, to be written. */
  get changes(): Changes {
    return this.#changes;
  }

  /** The changes are durable: discards the undo log. */
  commit(): void {
    this.#beginBatch();
  }

  /** The changes could not be written: restores the state before the batch. */
  rollback(): void {
    for (const step of this.#undo.reverse()) step();
    for (const key of this.#changes.items.keys()) this.#touched.add(key);
    for (const lease of this.#changes.leases.values()) this.#touched.add(lease.key);
    for (const ending of this.#changes.endings) this.#touched.add(ending.lease.key);
    for (const name of this.#changes.settings.keys()) this.#touchNamedBy(name);
    this.#beginBatch();
  }

  #beginBatch(): void {
    this.#changes = noChanges();
    this.#undo = [];
    this.#grantsInBatch.clear();
  }

  #fill(rows: LedgerRows): void {
    for (const [name, value] of rows.settings ?? []) this.#settings.set(name, value);
    for (const lease of rows.leases) this.#index(lease);
    for (const item of rows.items) this.#items.set(item.key, item);
    for (const contributor of rows.contributors) this.#indexContributor(contributor);
  }

  #touchNamedBy(setting: string): void {
    for (const prefix of [HOLD_PREFIX, REPOSITORY_PAUSE_PREFIX])
      if (setting.startsWith(prefix)) this.#touched.add(setting.slice(prefix.length));
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
    addTo(this.#byContributor, lease.contributorId, lease.taskId);
  }

  #forget(lease: Lease): void {
    this.#leases.delete(lease.taskId);
    if (this.#byKey.get(lease.key) === lease.taskId) this.#byKey.delete(lease.key);
    removeFrom(this.#byContributor, lease.contributorId, lease.taskId);
  }

  #indexContributor(contributor: Contributor): void {
    this.#contributors.set(contributor.id, contributor);
    this.#byLogin.set(contributor.login.toLowerCase(), contributor.id);
    if (contributor.accountId !== undefined) this.#byAccount.set(contributor.accountId, contributor.id);
    if (contributor.tokenDigest !== "") this.#byDigest.set(contributor.tokenDigest, contributor.id);
  }

  /** Removes the contributor's entries from the indexes, unless another contributor has taken the name. */
  #forgetNames({ id, login, accountId, tokenDigest }: Contributor): void {
    if (this.#byLogin.get(login.toLowerCase()) === id) this.#byLogin.delete(login.toLowerCase());
    if (accountId !== undefined && this.#byAccount.get(accountId) === id) this.#byAccount.delete(accountId);
    if (this.#byDigest.get(tokenDigest) === id) this.#byDigest.delete(tokenDigest);
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
