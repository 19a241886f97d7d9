import { type CodeHost, closingReferences, type Issue, type PullRequest } from "@nest/codehost";
import { type Clock, type Log, sentenceOf } from "@nest/kit";

/** How one repository was read last. Times are milliseconds since 1970. */
export interface ScannedRepo {
  readonly repo: string;
  readonly issues: readonly Issue[];
  readonly pullRequests: readonly PullRequest[];
  /** When it was last read whole; undefined while it never was. */
  readonly readAt: number | undefined;
  /** Why it could not be read the last time. */
  readonly error: string | undefined;
}

export interface ScanDeps {
  readonly codeHost: CodeHost | undefined;
  /** Why there is no code host. */
  readonly because: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** The code host's web base, for closing references that are addresses. */
  readonly webBase: string;
}

/** Repositories read at the same time: a nest with many must not use up its share of the code host's requests at once. */
const PARALLEL = 4;

/**
 * What is open in the monitored repositories. Reading again costs one conditional request a page: what did not change is not sent
 * again. A repository that cannot be read keeps what was read before, with the error beside it.
 */
export class Scanner {
  readonly #deps: ScanDeps;
  readonly #repos = new Map<string, ScannedRepo>();
  #claimed: { readonly from: readonly (readonly PullRequest[])[]; readonly keys: ReadonlySet<string> } | undefined;

  constructor(deps: ScanDeps) {
    this.#deps = deps;
  }

  /** What is known, in the order in which the repositories are configured. */
  get repos(): readonly ScannedRepo[] {
    return [...this.#repos.values()];
  }

  /** Reads all of these repositories, and forgets others. Never throws but for the signal. */
  async scan(repos: readonly string[], signal?: AbortSignal): Promise<void> {
    const known = new Map(this.#repos);
    this.#repos.clear();
    for (const repo of repos) this.#repos.set(repo, known.get(repo) ?? unread(repo));
    const waiting = [...repos];
    const readOn = async () => {
      for (let repo = waiting.shift(); repo !== undefined; repo = waiting.shift()) await this.#read(repo, signal);
    };
    await Promise.all(Array.from({ length: PARALLEL }, readOn));
  }

  /** The issues that open pull requests say they close, in lower case. */
  claimed(): ReadonlySet<string> {
    const from = this.repos.map(({ pullRequests }) => pullRequests);
    if (this.#claimed?.from.length === from.length && from.every((list, at) => list === this.#claimed?.from[at]))
      return this.#claimed.keys;
    const keys = new Set<string>();
    for (const { repo, title, body } of from.flat()) {
      for (const issue of closingReferences(`${title}\n${body}`, repo, this.#deps.webBase))
        keys.add(`${issue.repo}#${issue.number}`.toLowerCase());
    }
    this.#claimed = { from, keys };
    return keys;
  }

  async #read(repo: string, signal: AbortSignal | undefined): Promise<void> {
    const { codeHost, because, clock, log } = this.#deps;
    const before = this.#repos.get(repo) ?? unread(repo);
    if (codeHost === undefined) {
      this.#repos.set(repo, { ...before, error: because });
      return;
    }
    try {
      const [issues, pullRequests] = await Promise.all([
        codeHost.openIssues(repo, signal),
        codeHost.openPullRequests(repo, signal),
      ]);
      this.#repos.set(repo, {
        repo,
        issues: issues.items,
        pullRequests: pullRequests.items,
        readAt: clock.now(),
        error: undefined,
      });
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = sentenceOf(thrown);
      if (error !== before.error) log.warn({ repo, err: error }, "a repository cannot be read");
      this.#repos.set(repo, { ...before, error });
    }
  }
}

function unread(repo: string): ScannedRepo {
  return { repo, issues: [], pullRequests: [], readAt: undefined, error: undefined };
}
