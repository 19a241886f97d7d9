import type { CodeHost, Issue, PullRequest } from "@nest/codehost";
import { type Clock, type Log, plainLine, type Random, sentenceOf } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { ClaimLedger } from "./claim-ledger.ts";
import { claimsOf } from "./claims.ts";
import type { Queue } from "./queue.ts";

export interface MonitorParts {
  readonly codeHost: CodeHost;
  readonly queue: Queue;
  readonly claims: ClaimLedger;
  readonly repos: readonly string[];
  readonly webUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly times: Durations;
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

interface Known {
  state: RepositoryState["state"];
  issues: readonly Issue[] | undefined;
  error: string | undefined;
}

/** Reads the monitored repositories again and again, and tells the queue. Only a complete scan of a repository counts. */
export class Monitor {
  readonly #parts: MonitorParts;
  readonly #known = new Map<string, Known>();
  readonly #stop = new AbortController();
  #round: Promise<RefreshResult> | undefined;
  #again: Promise<RefreshResult> | undefined;

  constructor(parts: MonitorParts) {
    this.#parts = parts;
    for (const repo of parts.repos) this.#known.set(repo, { state: "scanning", issues: undefined, error: undefined });
  }

  /** Reads everything now, and from then on every evaluation interval. */
  start(): void {
    void this.#loop();
  }

  stop(): void {
    this.#stop.abort(new Error("the hub is stopping"));
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

  repositories(): RepositoryState[] {
    return [...this.#known].map(([repo, { state, issues, error }]) => ({
      repo,
      state,
      issues: issues?.length ?? 0,
      error,
    }));
  }

  async #loop(): Promise<void> {
    const { clock, random, evalIntervalMs } = this.#parts;
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
    const { repos, queue } = this.#parts;
    const failed: string[] = [];
    const waiting = [...repos];
    const worker = async () => {
      for (let repo = waiting.shift(); repo !== undefined; repo = waiting.shift()) {
        const fault = await this.#read(repo);
        if (fault !== undefined) failed.push(`${repo}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(4, repos.length) }, worker));
    this.#stop.signal.throwIfAborted();
    if (failed.length < repos.length || repos.length === 0) queue.open();
    const issues = this.repositories().reduce((sum, { issues: count }) => sum + count, 0);
    return { repositories: repos.length, issues, failed };
  }

  /** Reads one repository whole, or says why it could not. */
  async #read(repo: string): Promise<string | undefined> {
    const { codeHost, queue, claims, webUrl, clock, times, log } = this.#parts;
    const known = this.#known.get(repo) ?? { state: "scanning", issues: undefined, error: undefined };
    this.#known.set(repo, known);
    const { signal } = this.#stop;
    try {
      const [issues, pulls, merged] = await Promise.all([
        codeHost.openIssues(repo, signal),
        codeHost.openPullRequests(repo, signal),
        codeHost.recentlyMergedPullRequests(repo, clock.now() - times.claimTtlMs, signal),
      ]);
      const redAndStale = await this.#redAndStale(pulls.items);
      const now = clock.now();
      claims.replace(repo, claimsOf(repo, { open: pulls.items, merged, redAndStale }, webUrl, times, now));
      queue.setClaims(claims.all(now), now);
      if (known.issues !== issues.items) queue.setIssues(repo, issues.items.map(withPlainWords), now);
      if (known.state === "failing") log.info({ repo }, "repository can be read again");
      Object.assign(known, { state: "ready", issues: issues.items, error: undefined });
      return undefined;
    } catch (thrown) {
      if (signal.aborted) return "stopped";
      const because = sentenceOf(thrown);
      if (known.error !== because)
        log.warn({ repo, because }, "repository could not be read; what was known of it stays");
      Object.assign(known, { state: "failing", error: because });
      return because;
    }
  }

  async #redAndStale(pulls: readonly PullRequest[]): Promise<ReadonlySet<string>> {
    const { codeHost, clock, times } = this.#parts;
    const staleSince = clock.now() - times.claimTtlMs;
    const red = new Set<string>();
    for (const pull of pulls) {
      if (pull.updatedAt > staleSince) continue;
      if ((await codeHost.requiredChecks(pull, this.#stop.signal)) === "red") red.add(pull.url);
    }
    return red;
  }
}

/**
 * An issue as filters, people and relays get to see it: whoever may open issues or make labels writes these words. What is
 * left out here reaches no terminal and hides nothing from a filter.
 */
function withPlainWords(issue: Issue): Issue {
  return { ...issue, title: plainLine(issue.title), labels: issue.labels.map(plainLine) };
}
