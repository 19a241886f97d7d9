import type { CodeHost, Issue, PullRequest } from "@nest/codehost";
import { type CancelTimer, type Clock, type Log, NestError, type Random, sentenceOf, TimeSlicer } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { ClaimLedger } from "./claim-ledger.ts";
import { claimsOf } from "./claims.ts";
import type { Queue } from "./queue.ts";
import type { ScanStore } from "./scan-store.ts";
import type { Unblocker } from "./unblocker.ts";
import type { RepositoryVisibility } from "./visibility.ts";

export interface MonitorDeps {
  readonly codeHost: CodeHost;
  readonly queue: Queue;
  readonly claims: ClaimLedger;
  readonly scans: ScanStore;
  readonly visibility: RepositoryVisibility;
  readonly unblocker: Unblocker;
  /** Empty with an app: whatever the app is installed on. */
  readonly repos: readonly string[];
  readonly webUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly times: Durations;
  /** How long a red pull request may lie before it claims nothing. */
  readonly staleMs: () => number;
  readonly evalIntervalMs: number;
  readonly log: Log;
}

export interface RepositoryState {
  readonly repo: string;
  readonly state: "ready" | "scanning" | "failing";
  readonly issues: number;
  readonly error: string | undefined;
}

export interface RefreshResult {
  readonly repositories: number;
  readonly issues: number;
  /** Repositories that could not be read, with the reason. */
  readonly failed: readonly string[];
}

/** What fills the queue. */
export interface QueueFeed {
  /** Begins, and goes on until it is stopped. */
  start(): void;
  stop(): void;
  /** Reads everything now; resolves when a round that began after this call is done. */
  refresh(): Promise<RefreshResult>;
  /** Something of a repository has changed: it is read within a second. False when it is not monitored. */
  refreshSoon(repo: string, what?: { readonly visibility?: boolean }): boolean;
  repositories(): RepositoryState[];
}

interface Known {
  state: RepositoryState["state"];
  issues: readonly Issue[] | undefined;
  error: string | undefined;
  visibilityAt: number | undefined;
  /** The read under way; the next one of the same repository waits for it. */
  reading: Promise<unknown>;
  soon: CancelTimer | undefined;
}

/** Repositories read at the same time. */
const AT_ONCE = 4;
/** A repository that was told of again and again is read once this long after the first word. */
const SOON_MS = 250;
/** RepositoryVisibility is asked for again after this long; a webhook tells it sooner. */
const VISIBILITY_MS = 3_600_000;

/** Failures that say nothing about the other commits of a repository. */
const OF_ONE_COMMIT: ReadonlySet<string> = new Set(["codehost_not_found", "codehost_bad_answer"]);
const CHECKS_UNREAD = "checks of pull requests could not be read; red ones keep their claims";

/** Reads the monitored repositories again and again, and tells the queue. Only a complete scan of a repository counts. */
export class Monitor implements QueueFeed {
  readonly #deps: MonitorDeps;
  readonly #known = new Map<string, Known>();
  readonly #stop = new AbortController();
  #round: Promise<RefreshResult> | undefined;
  #again: Promise<RefreshResult> | undefined;

  constructor(deps: MonitorDeps) {
    this.#deps = deps;
    for (const repo of deps.repos) this.#add(repo);
  }

  /** Reads everything now, and from then on every evaluation interval. */
  start(): void {
    void this.#loop();
  }

  stop(): void {
    this.#stop.abort(new Error("the hub is stopping"));
    for (const known of this.#known.values()) known.soon?.();
  }

  /** Reads everything now; resolves when a round that began after this call is done. */
  refresh(): Promise<RefreshResult> {
    if (this.#round === undefined) return this.#begin();
    // The round under way may have read past what the caller wants seen: one more follows, shared by all who wait.
    this.#again ??= this.#round.then(() => {
      this.#again = undefined;
      return this.#begin();
    });
    return this.#again;
  }

  /** Something of a repository has changed: it is read within a second. False when it is not monitored. */
  refreshSoon(repo: string, what: { readonly visibility?: boolean } = {}): boolean {
    const name = this.#nameOf(repo);
    const known = name === undefined ? undefined : this.#known.get(name);
    if (name === undefined || known === undefined) return false;
    if (what.visibility === true) known.visibilityAt = undefined;
    known.soon ??= this.#deps.clock.after(SOON_MS, () => {
      known.soon = undefined;
      void this.#read(name);
    });
    return true;
  }

  repositories(): RepositoryState[] {
    return [...this.#known].map(([repo, { state, issues, error }]) => ({
      repo,
      state,
      issues: issues?.length ?? 0,
      error,
    }));
  }

  async #loop(): Promise<void> {
    const { clock, random, evalIntervalMs } = this.#deps;
    try {
      for (;;) {
        await this.refresh();
        // A tenth of jitter, so that many hubs do not knock at the same moment.
        await clock.sleep(evalIntervalMs * (0.95 + random.fraction() / 10), this.#stop.signal);
      }
    } catch (thrown) {
      if (!this.#stop.signal.aborted) throw thrown;
    }
  }

  #begin(): Promise<RefreshResult> {
    const round = this.#readAll().finally(() => {
      if (this.#round === round) this.#round = undefined;
    });
    this.#round = round;
    return round;
  }

  async #readAll(): Promise<RefreshResult> {
    const { queue } = this.#deps;
    const failed: string[] = [];
    const unlisted = await this.#follow();
    if (unlisted !== undefined) failed.push(`installation: ${unlisted}`);
    const waiting = [...this.#known.keys()];
    const all = waiting.length;
    const worker = async () => {
      for (let repo = waiting.shift(); repo !== undefined; repo = waiting.shift()) {
        const fault = await this.#read(repo);
        if (fault !== undefined) failed.push(`${repo}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, all) }, worker));
    this.#stop.signal.throwIfAborted();
    if (failed.length < all || (all === 0 && unlisted === undefined)) queue.open();
    const issues = this.repositories().reduce((sum, { issues: count }) => sum + count, 0);
    return { repositories: all, issues, failed };
  }

  /** Without configured repositories, follows the app's installation; says why it could not. */
  async #follow(): Promise<string | undefined> {
    const { codeHost, repos, queue, scans, log } = this.#deps;
    if (repos.length > 0 || codeHost.kind !== "app") return undefined;
    try {
      const installed = new Set(await codeHost.installationRepositories(this.#stop.signal));
      for (const repo of installed) if (!this.#known.has(repo)) this.#add(repo);
      for (const [repo, known] of this.#known) {
        if (installed.has(repo)) continue;
        known.soon?.();
        this.#known.delete(repo);
        queue.dropRepo(repo);
        await scans.drop(repo);
      }
      return undefined;
    } catch (thrown) {
      const because = sentenceOf(thrown);
      if (!this.#stop.signal.aborted) log.warn({ because }, "the app's repositories could not be listed");
      return because;
    }
  }

  #add(repo: string): void {
    this.#known.set(repo, {
      state: "scanning",
      issues: undefined,
      error: undefined,
      visibilityAt: undefined,
      reading: Promise.resolve(),
      soon: undefined,
    });
  }

  #nameOf(repo: string): string | undefined {
    if (this.#known.has(repo)) return repo;
    const wanted = repo.toLowerCase();
    return [...this.#known.keys()].find((name) => name.toLowerCase() === wanted);
  }

  /** Reads one repository whole, after whoever reads it already, or says why it could not. */
  #read(repo: string): Promise<string | undefined> {
    const known = this.#known.get(repo);
    if (known === undefined) return Promise.resolve(undefined);
    const reading = known.reading.then(() => this.#readNow(repo, known));
    known.reading = reading;
    return reading;
  }

  async #readNow(repo: string, known: Known): Promise<string | undefined> {
    const { codeHost, queue, claims, scans, unblocker, webUrl, clock, times, log } = this.#deps;
    const { signal } = this.#stop;
    try {
      const [issues, pulls, merged] = await Promise.all([
        codeHost.openIssues(repo, signal),
        codeHost.openPullRequests(repo, signal),
        codeHost.recentlyMergedPullRequests(repo, clock.now() - times.claimTtlMs, signal),
      ]);
      // Asked after the issues were read and before they are shown: what turned private meanwhile is not.
      await this.#see(repo, known);
      const { redAndStale, unread } = await this.#judgeChecks(pulls.items);
      if (unread !== undefined && unread !== known.error) log.warn({ repo, because: unread }, CHECKS_UNREAD);
      const now = clock.now();
      const claimed = claimsOf(repo, { open: pulls.items, merged, redAndStale }, webUrl, times, now);
      await scans.save({ repo, issues: issues.items, claims: claimed });
      claims.replace(repo, claimed);
      queue.setClaims(claims.all(now), now);
      if (known.issues !== issues.items)
        await queue.readIssues(repo, issues.items, new TimeSlicer(), () => clock.now());
      await unblocker.look(repo, issues.items, signal);
      if (!this.#known.has(repo)) queue.dropRepo(repo);
      if (known.state === "failing") log.info({ repo }, "repository can be read again");
      Object.assign(known, { state: "ready", issues: issues.items, error: unread });
      return undefined;
    } catch (thrown) {
      if (signal.aborted) return "stopped";
      const because = sentenceOf(thrown);
      if (known.error !== because)
        log.warn({ repo, because }, "repository could not be read; what was known of it stays");
      // Whoever may not read a repository is told nothing true about it either: asked anew with the next read.
      Object.assign(known, { state: "failing", error: because, visibilityAt: undefined });
      await scans.failed(repo, because).catch(() => undefined);
      return because;
    }
  }

  /** Asks whether a repository is private, before anything of it can be shown. */
  async #see(repo: string, known: Known): Promise<void> {
    const { visibility, clock } = this.#deps;
    if (known.visibilityAt !== undefined && clock.now() - known.visibilityAt < VISIBILITY_MS) return;
    const isPrivate = await this.#isPrivate(repo);
    await visibility.set(repo, isPrivate ?? true);
    known.visibilityAt = isPrivate === undefined ? undefined : clock.now();
  }

  /** What the code host says; undefined when it could not be read: the repository may have turned private since it last was. */
  async #isPrivate(repo: string): Promise<boolean | undefined> {
    const { codeHost, log } = this.#deps;
    try {
      return await codeHost.isPrivate(repo, this.#stop.signal);
    } catch (thrown) {
      if (this.#stop.signal.aborted) throw thrown;
      log.warn(
        { repo, because: sentenceOf(thrown) },
        "whether a repository is private could not be read: it counts as private",
      );
      return undefined;
    }
  }

  /**
   * The open pull requests that are red on a required check and stale. Checks that cannot be read leave a claim in force, and the
   * reason is told.
   */
  async #judgeChecks(
    pulls: readonly PullRequest[],
  ): Promise<{ readonly redAndStale: ReadonlySet<string>; readonly unread: string | undefined }> {
    const { codeHost, clock, staleMs } = this.#deps;
    const staleSince = clock.now() - staleMs();
    const redAndStale = new Set<string>();
    let unread: string | undefined;
    for (const pull of pulls) {
      if (pull.updatedAt > staleSince) continue;
      try {
        if ((await codeHost.requiredChecks(pull, this.#stop.signal)) === "red") redAndStale.add(pull.url);
      } catch (thrown) {
        if (this.#stop.signal.aborted) throw thrown;
        unread ??= `${sentenceOf(thrown)}; red pull requests keep their claims`;
        // One commit may be gone; whoever was refused, or not answered, will be with the next one too.
        if (!(thrown instanceof NestError) || !OF_ONE_COMMIT.has(thrown.code)) break;
      }
    }
    return { redAndStale, unread };
  }
}
