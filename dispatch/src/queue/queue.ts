import { plainLine, type TimeSlicer } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { RelayIdentity } from "../leases/commands.ts";
import { failuresNow } from "../leases/cooldown.ts";
import type { Candidate, Candidates } from "../leases/decider-deps.ts";
import { itemKey } from "../leases/lease.ts";
import type { Ledger } from "../leases/ledger.ts";
import type { Claim, Entry, QueueIssue, Withheld } from "./entry.ts";
import type { Filter, FilterReason } from "./filters.ts";
import { filterJudgements, type IssueRule, issueRules, type Judgement } from "./issue-rules.ts";
import { type OrderedPage, pageInOrder } from "./page-in-order.ts";
import { pinnedOrder } from "./pinned-order.ts";
import { type HandOutOrder, placeOf } from "./place-of.ts";
import { ReadyList } from "./ready-list.ts";
import { digestOf } from "./unblocker.ts";
import { WakeList } from "./wake-list.ts";

/** A title as people and relays get to see it: one line without what hides or reorders text. */
const LONGEST_TITLE = 512;

/** Issues that are judged together. */
const ISSUES_A_BATCH = 64;

export interface QueueDeps {
  readonly ledger: Ledger;
  readonly times: Durations;
}

/**
 * The issues that may be worked on now, in hand-out order: an index over what the code host said and what the ledger knows,
 * rebuilt from both at any time. Each issue is either on offer or withheld for one named reason; `actionable` counts the
 * first kind, and every surface shows that very number. Repositories take turns, so a long backlog starves nobody.
 */
export class Queue implements Candidates {
  readonly #deps: QueueDeps;
  readonly #entries = new Map<string, Entry>();
  /** The keys of each repository's entries: a scan of one looks at no other. */
  readonly #keys = new Map<string, Set<string>>();
  readonly #repos = new Map<string, ReadyList>();
  readonly #claims = new Map<string, Claim>();
  readonly #wakes = new WakeList();
  readonly #withheld = new Map<string, number>();
  readonly #assigned = new Map<string, Set<string>>();
  readonly #rules: readonly IssueRule[];
  #filter: Filter = () => undefined;
  #turn = 0;
  #ready = false;
  #onOffer: () => void = () => {};

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#rules = issueRules(deps.ledger, (key) => this.#claims.get(key));
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

  /** The same of one repository. */
  actionableIn(repo: string): number {
    return this.#repos.get(repo.toLowerCase())?.length ?? 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many issues are withheld, by reason. */
  withheldCounts(): Record<string, number> {
    return Object.fromEntries(this.#withheld);
  }

  /** How many issues of each repository are on offer, and how many are withheld. */
  *countsByRepository(): Generator<{ readonly repo: string; readonly ready: number; readonly withheld: number }> {
    for (const [repo, keys] of this.#keys) {
      const ready = this.#repos.get(repo)?.length ?? 0;
      yield { repo, ready, withheld: keys.size - ready };
    }
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
    this.#keepOnly(name, kept);
  }

  /** The same for a long list: judged and placed a slice at a time, so that nobody waits for it. */
  async readIssues(repo: string, issues: readonly QueueIssue[], breath: TimeSlicer, now: () => number): Promise<void> {
    const all = issues.map((issue) => ({ key: itemKey(repo, issue.number), issue }));
    const changed = all.filter(({ key, issue }) => this.#entries.get(key)?.issue !== issue);
    await this.#judge(changed, breath, ({ key, issue }, reason) => this.#place(key, issue, reason, now()));
    this.#keepOnly(repo.toLowerCase(), new Set(all.map(({ key }) => key)));
  }

  #keepOnly(repo: string, kept: ReadonlySet<string>): void {
    for (const key of this.#keys.get(repo) ?? []) {
      const entry = kept.has(key) ? undefined : this.#entries.get(key);
      if (entry !== undefined) this.#remove(entry);
    }
  }

  /** Forgets a repository that is no longer monitored. */
  dropRepo(repo: string): void {
    const name = repo.toLowerCase();
    this.#keepOnly(name, new Set());
    this.#repos.delete(name);
    this.#keys.delete(name);
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

  /** Applies new filters to every known issue, a slice at a time; newer filters set meanwhile take over. */
  async refilter(filter: Filter, breath: TimeSlicer, now: () => number): Promise<void> {
    this.#filter = filter;
    await this.#judge([...this.#entries.values()], breath, ({ key, issue }, reason) => {
      const entry = this.#entries.get(key);
      if (entry?.issue === issue && entry.filtered !== reason) this.#place(key, issue, reason, now());
    });
  }

  /** Gives what the filters in force say of each issue to `place`, with turns for everybody else. */
  async #judge<Of extends Pick<Entry, "key" | "issue">>(
    issues: readonly Of[],
    breath: TimeSlicer,
    place: (of: Of, reason: FilterReason | undefined) => void,
  ): Promise<void> {
    for (let at = 0; at < issues.length; at += ISSUES_A_BATCH) {
      const batch = issues.slice(at, at + ISSUES_A_BATCH);
      let judgedBy: Filter | undefined;
      for (let next = 0; next < batch.length; ) {
        await breath.pause();
        const filter = this.#filter;
        if (filter !== judgedBy) {
          await filter.judge?.(batch.map(({ issue }) => issue));
          judgedBy = filter;
          continue;
        }
        const of = batch[next] as Of;
        place(of, filter(of.issue));
        next += 1;
      }
    }
  }

  /** Applies new filters to every known issue at once. */
  setFilter(filter: Filter, now: number): void {
    this.#filter = filter;
    for (const [key, entry] of this.#entries) this.#place(key, entry.issue, filter(entry.issue), now);
  }

  digestOf(key: string): string | undefined {
    const issue = this.#entries.get(key)?.issue;
    return issue === undefined ? undefined : digestOf(issue);
  }

  touch(keys: ReadonlySet<string>, now: number): void {
    for (const name of keys) for (const key of this.#keysNamed(name)) this.#placeAgain(key, now);
  }

  /** The issue, or all issues of the repository: lowest number first, so that each leaves and enters its list at an end. */
  #keysNamed(name: string): readonly string[] {
    const all = this.#keys.get(name);
    if (all === undefined) return [name];
    const numberOf = (key: string) => this.#entries.get(key)?.number ?? 0;
    return [...all].sort((a, b) => numberOf(a) - numberOf(b));
  }

  #placeAgain(key: string, now: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#place(key, entry.issue, entry.filtered, now);
  }

  /** Puts issues whose hold or claim ran out back on offer. */
  wake(now: number): void {
    for (const key of this.#wakes.due(now)) this.#placeAgain(key, now);
  }

  *offer(asker: RelayIdentity, now: number): Generator<Candidate> {
    this.wake(now);
    yield* this.#ordered();
    yield* this.#assignedTo(asker, now);
    const next = this.#servedLongestAgo();
    if (next === undefined) return;
    yield* this.#served(next);
    // Seldom: nothing of that repository would do.
    for (const list of this.#lists()) if (list !== next) yield* this.#served(list);
  }

  /** One repository's issues; whatever is asked for of them counts as its turn. */
  *#served(list: ReadyList): Generator<Entry> {
    for (const entry of list.inOrder()) {
      this.#turn += 1;
      list.servedAt = this.#turn;
      yield entry;
    }
  }

  /** The repository whose turn it is. */
  #servedLongestAgo(): ReadyList | undefined {
    let next: ReadyList | undefined;
    for (const list of this.#repos.values())
      if (list.length > 0 && (next === undefined || list.servedAt < next.servedAt)) next = list;
    return next;
  }

  /** The repositories with something on offer, in the order of their turns. */
  #lists(): ReadyList[] {
    return [...this.#repos.values()].filter((list) => list.length > 0).sort((a, b) => a.servedAt - b.servedAt);
  }

  /** What is on offer, in the order in which it would be handed out. */
  inOrder(): Entry[] {
    const ordered = new Set(this.#ordered());
    const lists = this.#lists().map((list) =>
      ordered.size === 0 ? [...list.inOrder()] : [...list.inOrder()].filter((one) => !ordered.has(one)),
    );
    const order: Entry[] = [...ordered];
    for (let place = 0; lists.some((list) => place < list.length); place += 1) {
      for (const list of lists) {
        const entry = list[place];
        if (entry !== undefined) order.push(entry);
      }
    }
    return order;
  }

  /** What an operator put in front, of what is on offer. */
  *#ordered(): Generator<Entry> {
    for (const key of pinnedOrder(this.#deps.ledger)) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && entry.withheld === undefined) yield entry;
    }
  }

  /** Issues assigned to whoever asks: withheld from everybody else, so on no list. */
  *#assignedTo({ contributorId }: RelayIdentity, now: number): Generator<Entry> {
    if (this.#assigned.size === 0) return;
    const login = this.#deps.ledger.contributor(contributorId)?.login.toLowerCase() ?? "";
    for (const key of this.#assigned.get(login) ?? []) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && this.#whyWithheld(key, entry.issue, undefined, now) === undefined) yield entry;
    }
  }

  #place(key: string, issue: QueueIssue, filtered: FilterReason | undefined, now: number): void {
    const before = this.#entries.get(key);
    const { repo, number, url, updatedAt } = issue;
    const title = before?.issue === issue ? before.title : plainLine(issue.title).slice(0, LONGEST_TITLE);
    const failures = failuresNow(this.#deps.ledger.item(key), this.#deps.times, now);
    const withheld = this.#whyWithheld(key, issue, filtered, now);
    const after: Entry = { key, repo, number, title, url, updatedAt, issue, failures, filtered, withheld };
    this.#unlist(before);
    this.#entries.set(key, after);
    if (before === undefined) this.#keysOf(repo.toLowerCase()).add(key);
    this.#list(after);
    if (withheld?.until !== undefined) this.#wakes.add(key, withheld.until);
    if (withheld === undefined && before?.withheld !== undefined) this.#onOffer();
    if (withheld === undefined && before === undefined) this.#onOffer();
  }

  /** Whether an issue would be on offer at a moment if filters said this of it. */
  wouldOffer({ key, issue }: Entry, filtered: FilterReason | undefined, now: number): boolean {
    return this.#whyWithheld(key, issue, filtered, now) === undefined;
  }

  #whyWithheld(key: string, issue: QueueIssue, filtered: FilterReason | undefined, now: number): Withheld | undefined {
    if (filtered !== undefined) return { reason: filtered, until: undefined, detail: undefined };
    for (const { why } of this.#rules) {
      const withheld = why(key, issue, now);
      if (withheld !== undefined) return withheld;
    }
    return undefined;
  }

  /** What every rule says of an issue now, in the order in which they are asked; empty for an issue that is not known. */
  judgements(key: string, now: number): Judgement[] {
    const issue = this.#entries.get(key)?.issue;
    if (issue === undefined) return [];
    const filters = filterJudgements(this.#filter.rules ?? [], issue);
    return [...filters, ...this.#rules.map(({ name, why }) => ({ rule: name, withheld: why(key, issue, now) }))];
  }

  /** The number (from 1) of an issue in {@link inOrder}; undefined when it is not on offer. */
  placeOf(key: string): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.withheld !== undefined) return undefined;
    const order = this.#handOutOrder(() => true);
    return placeOf(entry, order);
  }

  /**
   * A part of {@link inOrder} from a place (from 0) on, of the repositories that may be seen, without going through the rest; and how
   * many are of others.
   */
  pageInOrder(
    page: { readonly from: number; readonly limit: number },
    isSeen: (repo: string) => boolean,
  ): OrderedPage & { readonly hidden: number } {
    const found = pageInOrder(this.#handOutOrder(isSeen), page);
    return { ...found, hidden: this.actionable - found.total };
  }

  #handOutOrder(isSeen: (repo: string) => boolean): HandOutOrder {
    return {
      ordered: [...new Set(this.#ordered())].filter(({ repo }) => isSeen(repo)),
      lists: this.#lists().filter((list) => isSeen(list.at(0)?.repo ?? "")),
      listOf: ({ repo }) => this.#repos.get(repo.toLowerCase()),
    };
  }

  #list(entry: Entry): void {
    if (entry.filtered === "assigned_to_other") {
      for (const login of entry.issue.assignees ?? []) {
        const keys = this.#assigned.get(login.toLowerCase()) ?? new Set();
        this.#assigned.set(login.toLowerCase(), keys.add(entry.key));
      }
    }
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
    if (entry.filtered === "assigned_to_other") {
      for (const login of entry.issue.assignees ?? []) {
        const keys = this.#assigned.get(login.toLowerCase());
        if (keys?.delete(entry.key) === true && keys.size === 0) this.#assigned.delete(login.toLowerCase());
      }
    }
    if (entry.withheld === undefined) {
      this.#repos.get(entry.repo.toLowerCase())?.remove(entry);
      return;
    }
    const left = (this.#withheld.get(entry.withheld.reason) ?? 1) - 1;
    if (left === 0) this.#withheld.delete(entry.withheld.reason);
    else this.#withheld.set(entry.withheld.reason, left);
  }

  #keysOf(repo: string): Set<string> {
    const keys = this.#keys.get(repo) ?? new Set();
    this.#keys.set(repo, keys);
    return keys;
  }

  #remove(entry: Entry): void {
    this.#unlist(entry);
    this.#entries.delete(entry.key);
    this.#keys.get(entry.repo.toLowerCase())?.delete(entry.key);
  }
}
