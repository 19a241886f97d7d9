import { type NestError, Secret } from "@nest/kit";
import type {
  Access,
  Account,
  CodeHost,
  Comment,
  Issue,
  PullRequest,
  RequiredChecks,
  Scan,
  TaskCredential,
  TextFile,
} from "./codehost.ts";
import { notFound } from "./failures.ts";

/** A code host in memory, for tests: set what is there, then read it through the interface. It passes the contract suite. */
export class CodeHostMemory implements CodeHost {
  readonly kind: "app" | "token";
  /** Login by token. */
  readonly users = new Map<string, string>();
  /** What {@link requiredChecks} says, by head commit; `none` for others. */
  readonly checks = new Map<string, RequiredChecks>();
  /** Task tokens that were given out and not revoked, with what they open. */
  readonly credentials = new Map<string, { readonly repo: string; readonly permissions: Record<string, Access> }>();
  /** Thrown by every call until it is set to undefined again. */
  failure: NestError | undefined;
  login: string;
  /** How long a task's token lives, from `now()`. */
  credentialLifeMs = 3_600_000;
  /** Repositories that only members see. */
  readonly privateRepositories = new Set<string>();
  /** Text by `owner/name/path@ref`. */
  readonly files = new Map<string, string>();
  readonly #now: () => number;
  readonly #issues = new Map<string, Map<number, Issue>>();
  readonly #pulls = new Map<string, Map<number, PullRequest>>();
  readonly #scans = new Map<string, { readonly state: string; readonly items: readonly unknown[] }>();
  readonly #comments = new Map<string, readonly Comment[]>();
  readonly #accounts = new Map<string, number>();
  #nextToken = 1;
  #nextAccount = 1001;

  constructor(options: { readonly kind?: "app" | "token"; readonly login?: string; readonly now?: () => number } = {}) {
    this.kind = options.kind ?? "token";
    this.login = options.login ?? (this.kind === "app" ? "nest[bot]" : "nest");
    this.#now = options.now ?? (() => 0);
  }

  /** Makes a repository that has nothing yet; one that is there stays as it is. */
  addRepository(repo: string): void {
    if (!this.#issues.has(repo)) this.#issues.set(repo, new Map());
    if (!this.#pulls.has(repo)) this.#pulls.set(repo, new Map());
  }

  /** Sets an issue, in place of one with the same number. What is not given gets a plain value. */
  setIssue(issue: Pick<Issue, "repo" | "number"> & Partial<Issue>): Issue {
    this.addRepository(issue.repo);
    const { author = "someone" } = issue;
    const whole: Issue = {
      title: `Issue ${issue.number}`,
      body: "",
      url: `https://github.com/${issue.repo}/issues/${issue.number}`,
      state: "open",
      author,
      authorId: this.accountId(author),
      labels: [],
      assignees: [],
      createdAt: issue.number,
      updatedAt: issue.number,
      ...issue,
    };
    this.#issues.get(issue.repo)?.set(whole.number, whole);
    return whole;
  }

  /** Sets a pull request, in place of one with the same number. What is not given gets a plain value. */
  setPullRequest(pull: Pick<PullRequest, "repo" | "number"> & Partial<PullRequest>): PullRequest {
    this.addRepository(pull.repo);
    const { author = "someone" } = pull;
    const whole: PullRequest = {
      title: `Pull request ${pull.number}`,
      body: "",
      url: `https://github.com/${pull.repo}/pull/${pull.number}`,
      author,
      authorId: this.accountId(author),
      authorIsApp: false,
      state: "open",
      merged: false,
      headRef: `branch-${pull.number}`,
      headSha: `${pull.number}`.padStart(40, "0"),
      headRepo: pull.repo,
      baseRef: "main",
      baseRepo: pull.repo,
      draft: false,
      createdAt: this.#now() + pull.number,
      updatedAt: pull.number,
      ...pull,
    };
    this.#pulls.get(pull.repo)?.set(whole.number, whole);
    return whole;
  }

  removeIssue(repo: string, number: number): void {
    this.#issues.get(repo)?.delete(number);
  }

  removePullRequest(repo: string, number: number): void {
    this.#pulls.get(repo)?.delete(number);
  }

  async openIssues(repo: string, signal?: AbortSignal): Promise<Scan<Issue>> {
    this.#enter(signal);
    return this.#scan(`issues of ${repo}`, open(this.#in(this.#issues, repo)));
  }

  async openPullRequests(repo: string, signal?: AbortSignal): Promise<Scan<PullRequest>> {
    this.#enter(signal);
    return this.#scan(`pull requests of ${repo}`, open(this.#in(this.#pulls, repo)));
  }

  async recentlyMergedPullRequests(repo: string, sinceMs: number, signal?: AbortSignal): Promise<PullRequest[]> {
    this.#enter(signal);
    return [...this.#in(this.#pulls, repo).values()].filter((pull) => (pull.mergedAt ?? -1) >= sinceMs);
  }

  async issue(repo: string, number: number, signal?: AbortSignal): Promise<Issue | undefined> {
    this.#enter(signal);
    return this.#issues.get(repo)?.get(number);
  }

  async issueComments(repo: string, number: number, sinceMs: number, signal?: AbortSignal): Promise<Comment[]> {
    this.#enter(signal);
    const issue = this.#in(this.#issues, repo).get(number);
    if (issue === undefined) throw notFound(`${repo}#${number}`);
    return (this.#comments.get(`${repo}#${number}`) ?? []).filter(({ updatedAt }) => updatedAt >= sinceMs);
  }

  /** Comments on an issue, which is changed by that. What is not given gets a plain value. */
  addComment(repo: string, number: number, comment: Partial<Comment> = {}): void {
    const { author = "someone" } = comment;
    const updatedAt = comment.updatedAt ?? this.#now();
    const id = this.accountId(author);
    const whole = { author, authorId: id, authorIsApp: false, authorBelongs: false, ...comment, updatedAt };
    const name = `${repo}#${number}`;
    this.#comments.set(name, [...(this.#comments.get(name) ?? []), whole]);
    const issue = this.#issues.get(repo)?.get(number);
    if (issue !== undefined) this.setIssue({ ...issue, updatedAt });
  }

  async pullRequest(repo: string, number: number, signal?: AbortSignal): Promise<PullRequest | undefined> {
    this.#enter(signal);
    return this.#pulls.get(repo)?.get(number);
  }

  async requiredChecks(pullRequest: Pick<PullRequest, "headSha">, signal?: AbortSignal): Promise<RequiredChecks> {
    this.#enter(signal);
    return this.checks.get(pullRequest.headSha) ?? "none";
  }

  async whoIs(token: Secret, signal?: AbortSignal): Promise<Account | undefined> {
    this.#enter(signal);
    const login = this.users.get(token.reveal());
    return login === undefined ? undefined : { login, id: this.accountId(login) };
  }

  /** The number of whoever has this login now. */
  accountId(login: string): number {
    const known = this.#accounts.get(login.toLowerCase());
    if (known !== undefined) return known;
    this.#accounts.set(login.toLowerCase(), this.#nextAccount);
    return this.#nextAccount++;
  }

  /** An account takes another login; the old one is free for somebody else. */
  rename(from: string, to: string): void {
    const id = this.accountId(from);
    this.#accounts.delete(from.toLowerCase());
    this.#accounts.set(to.toLowerCase(), id);
    for (const [token, login] of this.users) if (login.toLowerCase() === from.toLowerCase()) this.users.set(token, to);
  }

  async self(signal?: AbortSignal): Promise<string> {
    this.#enter(signal);
    return this.login;
  }

  async taskCredential(
    repo: string,
    permissions: Readonly<Record<string, Access>>,
    signal?: AbortSignal,
  ): Promise<TaskCredential | undefined> {
    this.#enter(signal);
    if (this.kind === "token") return undefined;
    this.#in(this.#issues, repo);
    const token = `ghs_memory_${this.#nextToken++}`;
    this.credentials.set(token, { repo, permissions: { ...permissions } });
    return { token: new Secret(token), expiresAt: this.#now() + this.credentialLifeMs };
  }

  async revokeCredential(token: Secret, signal?: AbortSignal): Promise<void> {
    this.#enter(signal);
    this.credentials.delete(token.reveal());
  }

  async isPrivate(repo: string, signal?: AbortSignal): Promise<boolean> {
    this.#enter(signal);
    return this.privateRepositories.has(repo);
  }

  async textFile(
    file: { readonly repo: string; readonly path: string; readonly ref?: string; readonly maxBytes: number },
    signal?: AbortSignal,
  ): Promise<TextFile> {
    this.#enter(signal);
    const text = this.files.get(`${file.repo}/${file.path}@${file.ref ?? "HEAD"}`);
    if (text === undefined) return { kind: "absent" };
    return Buffer.byteLength(text) > file.maxBytes ? { kind: "too_large" } : { kind: "text", text };
  }

  async addLabels(repo: string, number: number, labels: readonly string[], signal?: AbortSignal): Promise<void> {
    this.#enter(signal);
    const issue = this.#in(this.#issues, repo).get(number);
    if (issue === undefined && this.#in(this.#pulls, repo).get(number) === undefined)
      throw notFound(`${repo}#${number}`);
    if (issue !== undefined) this.setIssue({ ...issue, labels: [...new Set([...issue.labels, ...labels])] });
  }

  async installationRepositories(signal?: AbortSignal): Promise<string[]> {
    this.#enter(signal);
    return this.kind === "app" ? [...this.#issues.keys()] : [];
  }

  #enter(signal?: AbortSignal): void {
    signal?.throwIfAborted();
    if (this.failure !== undefined) throw this.failure;
  }

  #in<T>(all: Map<string, Map<number, T>>, repo: string): Map<number, T> {
    const found = all.get(repo);
    if (found === undefined) throw notFound(repo);
    return found;
  }

  #scan<T>(name: string, items: readonly T[]): Scan<T> {
    const state = JSON.stringify(items);
    const before = this.#scans.get(name);
    if (before?.state === state) return { items: before.items as readonly T[], unchanged: true };
    this.#scans.set(name, { state, items });
    return { items, unchanged: false };
  }
}

function open<T extends { readonly state: string; readonly createdAt: number; readonly number: number }>(
  all: Map<number, T>,
): T[] {
  return [...all.values()]
    .filter((item) => item.state === "open")
    .sort((a, b) => a.createdAt - b.createdAt || a.number - b.number);
}
