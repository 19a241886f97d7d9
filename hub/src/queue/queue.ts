import type { Durations } from "@nest/protocol";
import type { Speaker } from "../leases/commands.ts";
import type { Candidate, Candidates } from "../leases/desk.ts";
import { itemKey } from "../leases/lease.ts";
import type { Ledger } from "../leases/ledger.ts";
import { failuresNow, holdOf } from "./cooldown.ts";
import type { Filter, FilterReason } from "./filters.ts";
import { ReadyList } from "./ready-list.ts";
import { WakeList } from "./wake-list.ts";

/** An open issue as the code host tells it. */
export interface QueueIssue {
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly updatedAt: number;
}

export interface Withheld {
  /** `claimed`, `leased`, a filter's reason or a hold's. */
  readonly reason: string;
  readonly until: number | undefined;
  readonly detail: string | undefined;
}

/** A claim of an issue by an open pull request. */
export interface Claim {
  readonly pullRequestUrl: string;
  readonly until: number;
}

export interface Entry extends Candidate {
  readonly issue: QueueIssue;
  readonly failures: number;
  readonly filtered: FilterReason | undefined;
  /** Undefined: on offer now. */
  readonly withheld: Withheld | undefined;
}

export interface QueueParts {
  readonly ledger: Ledger;
  readonly times: Durations;
}

/**
 * The issues that may be worked on now, in hand-out order: an index over what the code host said and what the ledger knows,
 * rebuilt from both at any time. Each issue is either on offer or withheld for one named reason; `actionable` counts the
 * first kind, and every surface shows that very number. Repositories take turns, so a long backlog starves nobody.
 */
export class Queue implements Candidates {
  readonly #parts: QueueParts;
  readonly #entries = new Map<string, Entry>();
  readonly #repos = new Map<string, ReadyList>();
  readonly #claims = new Map<string, Claim>();
  readonly #wakes = new WakeList();
  readonly #withheld = new Map<string, number>();
  #filter: Filter = () => undefined;
  #turn = 0;
  #ready = false;
  #onOffer: () => void = () => {};

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  /** At least one repository was read completely: there is something true to hand out. */
  open(): void {
    this.#ready = true;
  }

  /** Calls `act` whenever an issue came on offer. */
  whenOffered(act: () => void): void {
    this.#onOffer = act;
  }

  /** Issues that a `ready` could be given now. */
  get actionable(): number {
    let count = 0;
    for (const list of this.#repos.values()) count += list.length;
    return count;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many issues are withheld, by reason. */
  withheldCounts(): Record<string, number> {
    return Object.fromEntries(this.#withheld);
  }

  entry(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Replaces a repository's issues by a complete scan of it; partial ones never come here. */
  setIssues(repo: string, issues: readonly QueueIssue[], now: number): void {
    const name = repo.toLowerCase();
    const kept = new Set<string>();
    for (const issue of issues) {
      const key = itemKey(repo, issue.number);
      kept.add(key);
      const known = this.#entries.get(key);
      this.#place(key, issue, known?.issue === issue ? known.filtered : this.#filter(issue), now);
    }
    for (const [key, entry] of this.#entries) {
      if (entry.repo.toLowerCase() === name && !kept.has(key)) this.#remove(entry);
    }
  }

  /** Forgets a repository that is no longer monitored. */
  dropRepo(repo: string): void {
    const name = repo.toLowerCase();
    for (const entry of this.#entries.values()) if (entry.repo.toLowerCase() === name) this.#remove(entry);
    this.#repos.delete(name);
  }

  /** Sets what is claimed by open pull requests: the whole ledger of claims, by issue. */
  setClaims(claims: ReadonlyMap<string, Claim>, now: number): void {
    const changed = new Set<string>();
    for (const key of this.#claims.keys()) if (!claims.has(key)) changed.add(key);
    for (const [key, claim] of claims) {
      const before = this.#claims.get(key);
      if (before?.pullRequestUrl !== claim.pullRequestUrl || before.until !== claim.until) changed.add(key);
    }
    this.#claims.clear();
    for (const [key, claim] of claims) this.#claims.set(key, claim);
    this.touch(changed, now);
  }

  /** Applies new filters to every known issue. */
  setFilter(filter: Filter, now: number): void {
    this.#filter = filter;
    for (const [key, entry] of this.#entries) this.#place(key, entry.issue, filter(entry.issue), now);
  }

  touch(keys: ReadonlySet<string>, now: number): void {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#place(key, entry.issue, entry.filtered, now);
    }
  }

  /** Puts issues whose hold or claim ran out back on offer. */
  wake(now: number): void {
    for (const key of this.#wakes.due(now)) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#place(key, entry.issue, entry.filtered, now);
    }
  }

  *offer(_asker: Speaker, now: number): Generator<Candidate> {
    this.wake(now);
    // The repository served longest ago goes first, then the next one.
    const lists = [...this.#repos.values()].filter((list) => list.length > 0).sort((a, b) => a.servedAt - b.servedAt);
    for (const list of lists) {
      for (const entry of list.inOrder()) {
        this.#turn += 1;
        list.servedAt = this.#turn;
        yield entry;
      }
    }
  }

  /** What is on offer, in the order in which it would be handed out. */
  inOrder(): Entry[] {
    const lists = [...this.#repos.values()]
      .filter((list) => list.length > 0)
      .sort((a, b) => a.servedAt - b.servedAt)
      .map((list) => [...list.inOrder()]);
    const order: Entry[] = [];
    for (let place = 0; lists.some((list) => place < list.length); place += 1) {
      for (const list of lists) {
        const entry = list[place];
        if (entry !== undefined) order.push(entry);
      }
    }
    return order;
  }

  #place(key: string, issue: QueueIssue, filtered: FilterReason | undefined, now: number): void {
    const before = this.#entries.get(key);
    const { repo, number, title, url, updatedAt } = issue;
    const failures = failuresNow(this.#parts.ledger.item(key), this.#parts.times, now);
    const withheld = this.#whyWithheld(key, issue, filtered, now);
    const after: Entry = { key, repo, number, title, url, updatedAt, issue, failures, filtered, withheld };
    this.#unlist(before);
    this.#entries.set(key, after);
    this.#list(after);
    if (withheld?.until !== undefined) this.#wakes.add(key, withheld.until);
    if (withheld === undefined && before?.withheld !== undefined) this.#onOffer();
    if (withheld === undefined && before === undefined) this.#onOffer();
  }

  #whyWithheld(key: string, issue: QueueIssue, filtered: FilterReason | undefined, now: number): Withheld | undefined {
    const { ledger } = this.#parts;
    if (filtered !== undefined) return { reason: filtered, until: undefined, detail: undefined };
    const lease = ledger.leaseOnItem(key);
    if (lease !== undefined)
      return { reason: "leased", until: undefined, detail: ledger.contributor(lease.contributorId)?.login };
    const claim = this.#claims.get(key);
    if (claim !== undefined && now < claim.until)
      return { reason: "claimed", until: claim.until, detail: claim.pullRequestUrl };
    const hold = holdOf(ledger.item(key), issue.updatedAt, now);
    return hold === undefined ? undefined : { reason: hold.reason, until: hold.until, detail: undefined };
  }

  #list(entry: Entry): void {
    if (entry.withheld !== undefined) {
      const { reason } = entry.withheld;
      this.#withheld.set(reason, (this.#withheld.get(reason) ?? 0) + 1);
      return;
    }
    const repo = entry.repo.toLowerCase();
    const list = this.#repos.get(repo) ?? new ReadyList();
    this.#repos.set(repo, list);
    list.insert(entry);
  }

  #unlist(entry: Entry | undefined): void {
    if (entry === undefined) return;
    if (entry.withheld === undefined) {
      this.#repos.get(entry.repo.toLowerCase())?.remove(entry);
      return;
    }
    const left = (this.#withheld.get(entry.withheld.reason) ?? 1) - 1;
    if (left === 0) this.#withheld.delete(entry.withheld.reason);
    else this.#withheld.set(entry.withheld.reason, left);
  }

  #remove(entry: Entry): void {
    this.#unlist(entry);
    this.#entries.delete(entry.key);
  }
}
