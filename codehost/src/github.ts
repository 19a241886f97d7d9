import { type Clock, type Random, type Secret, systemClock, systemRandom } from "@nest/kit";
import { type Answer, type Call, Caller } from "./caller.ts";
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
import { AppIdentity, type Credentials, type Identity, personalIdentity } from "./credentials.ts";
import { badAnswer, failedWith } from "./failures.ts";
import { abortable, lastPage, PAGE_SIZE, PagedList, remembered } from "./lists.ts";
import {
  asRow,
  asRows,
  readAccount,
  readComment,
  readIssue,
  readPullRequest,
  rowIn,
  rowsIn,
  textIn,
} from "./reading.ts";
import { type CheckReport, judgeChecks, type RequiredCheck, verdictOfRun, verdictOfStatus } from "./required-checks.ts";

export const PUBLIC_API_URL = "https://api.github.com";

export interface GitHubOptions {
  readonly credentials: Credentials;
  /** API base; the public one unless it is GitHub Enterprise or a test. */
  readonly apiUrl?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Longest wait for a rate limit before it is thrown; 60 s. */
  readonly maxWaitMs?: number;
  /** For each request; 10 s. */
  readonly timeoutMs?: number;
}

type Get = Omit<Call, "authorization" | "identity" | "renew">;

/** The platform GitHub, public or Enterprise, through its REST interface. */
export class GitHub implements CodeHost {
  readonly kind: "app" | "token";
  readonly #caller: Caller;
  readonly #identity: Identity;
  readonly #app: AppIdentity | undefined;
  readonly #issues = new Map<string, PagedList<Issue | undefined>>();
  readonly #pulls = new Map<string, PagedList<PullRequest>>();
  readonly #issueScans = new WeakMap<readonly (Issue | undefined)[], readonly Issue[]>();
  #self: string | undefined;

  constructor(options: GitHubOptions) {
    const clock = options.clock ?? systemClock();
    this.#caller = new Caller({
      apiUrl: (options.apiUrl ?? PUBLIC_API_URL).replace(/\/+$/, ""),
      clock,
      random: options.random ?? systemRandom(),
      maxWaitMs: options.maxWaitMs ?? 60_000,
      timeoutMs: options.timeoutMs ?? 10_000,
    });
    const { credentials } = options;
    this.kind = credentials.kind;
    this.#app = credentials.kind === "app" ? new AppIdentity(this.#caller, clock, credentials) : undefined;
    this.#identity = credentials.kind === "token" ? personalIdentity(credentials.token) : (this.#app as Identity);
  }

  async openIssues(repo: string, signal?: AbortSignal): Promise<Scan<Issue>> {
    const what = `issues of ${repo}`;
    const list = remembered(this.#issues, repo, () => {
      const fetch = this.#pageOf(what, "GET /repos/{owner}/{repo}/issues", {
        ...named(repo),
        state: "open",
        sort: "created",
        direction: "asc",
      });
      const read = (data: unknown) => asRows(data, what).map((row) => readIssue(row, repo, what));
      return new PagedList(fetch, read, (issue) => issue?.number ?? "pull request");
    });
    const scan = await abortable(list.scan(), signal);
    // The same array for the same scan, so that callers can compare by identity.
    let items = this.#issueScans.get(scan.items);
    if (items === undefined) {
      items = scan.items.filter((issue) => issue !== undefined);
      this.#issueScans.set(scan.items, items);
    }
    return { items, unchanged: scan.unchanged };
  }

  async openPullRequests(repo: string, signal?: AbortSignal): Promise<Scan<PullRequest>> {
    const what = `pull requests of ${repo}`;
    const list = remembered(this.#pulls, repo, () => {
      const fetch = this.#pageOf(what, "GET /repos/{owner}/{repo}/pulls", {
        ...named(repo),
        state: "open",
        sort: "created",
        direction: "asc",
      });
      const read = (data: unknown) => asRows(data, what).map((row) => readPullRequest(row, repo, what));
      return new PagedList(fetch, read, (pull) => pull.number);
    });
    return abortable(list.scan(), signal);
  }

  async recentlyMergedPullRequests(repo: string, sinceMs: number, signal?: AbortSignal): Promise<PullRequest[]> {
    const what = `merged pull requests of ${repo}`;
    const merged = new Map<number, PullRequest>();
    for (let page = 1, more = true; more; page += 1) {
      const answer = await this.#get({
        what,
        route: "GET /repos/{owner}/{repo}/pulls",
        parameters: {
          ...named(repo),
          state: "closed",
          sort: "updated",
          direction: "desc",
          per_page: PAGE_SIZE,
          page,
        },
        signal,
      });
      const pulls = asRows(answer.data, what).map((row) => readPullRequest(row, repo, what));
      for (const pull of pulls) {
        if (pull.mergedAt !== undefined && pull.mergedAt >= sinceMs) merged.set(pull.number, pull);
      }
      // A merge updates a pull request, so none that was updated before this time was merged after it.
      const oldest = pulls.at(-1)?.updatedAt ?? 0;
      more = oldest >= sinceMs && lastPage(answer.link, page) > page;
    }
    return [...merged.values()];
  }

  async issue(repo: string, number: number, signal?: AbortSignal): Promise<Issue | undefined> {
    const what = `issue ${repo}#${number}`;
    const answer = await this.#getIfAny({
      what,
      route: "GET /repos/{owner}/{repo}/issues/{issue_number}",
      parameters: { ...named(repo), issue_number: number },
      signal,
    });
    return answer === undefined ? undefined : readIssue(asRow(answer.data, what), repo, what);
  }

  async issueComments(repo: string, number: number, sinceMs: number, signal?: AbortSignal): Promise<Comment[]> {
    const what = `comments on ${repo}#${number}`;
    const since = new Date(sinceMs).toISOString();
    const comments: Comment[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const answer = await this.#get({
        what,
        route: "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        parameters: { ...named(repo), issue_number: number, since, per_page: PAGE_SIZE, page },
        signal,
      });
      comments.push(...asRows(answer.data, what).map((row) => readComment(row, what)));
      more = lastPage(answer.link, page) > page;
    }
    return comments.filter(({ updatedAt }) => updatedAt >= sinceMs);
  }

  async pullRequest(repo: string, number: number, signal?: AbortSignal): Promise<PullRequest | undefined> {
    const what = `pull request ${repo}#${number}`;
    const answer = await this.#getIfAny({
      what,
      route: "GET /repos/{owner}/{repo}/pulls/{pull_number}",
      parameters: { ...named(repo), pull_number: number },
      signal,
    });
    return answer === undefined ? undefined : readPullRequest(asRow(answer.data, what), repo, what);
  }

  async requiredChecks(
    pullRequest: Pick<PullRequest, "repo" | "baseRef" | "headSha">,
    signal?: AbortSignal,
  ): Promise<RequiredChecks> {
    const { repo, baseRef, headSha } = pullRequest;
    const required = await this.#required(repo, baseRef, signal);
    if (required.length === 0) return "none";
    const [runs, statuses] = await Promise.all([
      this.#checkRuns(repo, headSha, signal),
      this.#statuses(repo, headSha, signal),
    ]);
    return judgeChecks(required, [...runs, ...statuses]);
  }

  async whoIs(token: Secret, signal?: AbortSignal): Promise<Account | undefined> {
    const what = "login of a token";
    // No platform issues a token that an HTTP header cannot carry.
    if (!/^[\x21-\x7e]+$/.test(token.reveal())) return undefined;
    try {
      const answer = await this.#caller.send({
        what,
        route: "GET /user",
        authorization: `token ${token.reveal()}`,
        identity: "stranger",
        signal,
      });
      return readAccount(asRow(answer.data, what), what);
    } catch (thrown) {
      if (failedWith(thrown, "codehost_refused")) return undefined;
      throw thrown;
    }
  }

  async self(signal?: AbortSignal): Promise<string> {
    if (this.#self === undefined) {
      const what = "our own login";
      if (this.#app === undefined) {
        const answer = await this.#get({ what, route: "GET /user", signal });
        this.#self = textIn(asRow(answer.data, what), "login", what);
      } else {
        const authorization = await this.#app.proof();
        const answer = await this.#caller.send({ what, route: "GET /app", authorization, identity: "app", signal });
        this.#self = `${textIn(asRow(answer.data, what), "slug", what)}[bot]`;
      }
    }
    return this.#self;
  }

  async taskCredential(
    repo: string,
    permissions: Readonly<Record<string, Access>>,
    signal?: AbortSignal,
  ): Promise<TaskCredential | undefined> {
    if (this.#app === undefined) return undefined;
    return this.#app.narrowed({ repositories: [named(repo).repo], permissions }, signal);
  }

  async revokeCredential(token: Secret, signal?: AbortSignal): Promise<void> {
    if (this.#app === undefined) return;
    try {
      await this.#caller.send({
        what: "revoking a task's token",
        route: "DELETE /installation/token",
        authorization: `token ${token.reveal()}`,
        identity: "installation",
        signal,
      });
    } catch (thrown) {
      if (!failedWith(thrown, "codehost_refused")) throw thrown;
    }
  }

  async addLabels(repo: string, number: number, labels: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#get({
      what: `labels of ${repo}#${number}`,
      route: "POST /repos/{owner}/{repo}/issues/{issue_number}/labels",
      parameters: { ...named(repo), issue_number: number, labels },
      signal,
    });
  }

  async installationRepositories(signal?: AbortSignal): Promise<string[]> {
    if (this.#app === undefined) return [];
    const what = "repositories of the installation";
    const rows = await this.#all({ what, route: "GET /installation/repositories", signal }, "repositories");
    return rows.map((row) => textIn(row, "full_name", what));
  }

  async isPrivate(repo: string, signal?: AbortSignal): Promise<boolean> {
    const what = `visibility of ${repo}`;
    const answer = await this.#getIfAny({ what, route: "GET /repos/{owner}/{repo}", parameters: named(repo), signal });
    if (answer === undefined) return true;
    const { private: isPrivate, visibility = "public" } = asRow(answer.data, what);
    return isPrivate !== false || visibility !== "public";
  }

  async textFile(
    file: { readonly repo: string; readonly path: string; readonly ref?: string; readonly maxBytes: number },
    signal?: AbortSignal,
  ): Promise<TextFile> {
    const { repo, path, ref, maxBytes } = file;
    const what = `${path} of ${repo}`;
    const answer = await this.#getIfAny({
      what,
      route: "GET /repos/{owner}/{repo}/contents/{+path}",
      parameters: { ...named(repo), path, ...(ref === undefined ? {} : { ref }) },
      signal,
    });
    if (answer === undefined || Array.isArray(answer.data)) return { kind: "absent" };
    const row = asRow(answer.data, what);
    if (row.type !== "file" && row.type !== undefined) return { kind: "absent" };
    if (typeof row.size === "number" && row.size > maxBytes) return { kind: "too_large" };
    if (row.encoding !== "base64" || typeof row.content !== "string") return { kind: "absent" };
    const bytes = Buffer.from(row.content, "base64");
    return bytes.length > maxBytes ? { kind: "too_large" } : { kind: "text", text: bytes.toString("utf8") };
  }

  /** What the base branch requires, from branch protection and from rulesets: both can be read without being an admin. */
  async #required(repo: string, branch: string, signal?: AbortSignal): Promise<RequiredCheck[]> {
    const parameters = { ...named(repo), branch };
    const what = `required checks of ${repo} ${branch}`;
    const [protection, rules] = await Promise.all([
      this.#getIfAny({ what, route: "GET /repos/{owner}/{repo}/branches/{branch}", parameters, signal }),
      this.#getIfAny({ what, route: "GET /repos/{owner}/{repo}/rules/branches/{branch}", parameters, signal }),
    ]);
    const required: RequiredCheck[] = [];
    if (protection !== undefined) {
      const row = asRow(protection.data, what);
      const checks = rowIn(rowIn(row, "protection") ?? {}, "required_status_checks") ?? {};
      if (checks.enforcement_level !== "off") {
        const listed = rowsIn(checks, "checks").map((check) => requiredCheck(check.context, check.app_id));
        const contexts = Array.isArray(checks.contexts)
          ? checks.contexts.filter((name) => typeof name === "string")
          : [];
        required.push(...(listed.length > 0 ? listed : contexts.map((context: string) => ({ context }))));
      }
    }
    if (rules !== undefined) {
      for (const rule of asRows(rules.data, what)) {
        if (rule.type !== "required_status_checks") continue;
        const checks = rowsIn(rowIn(rule, "parameters") ?? {}, "required_status_checks");
        required.push(...checks.map((check) => requiredCheck(check.context, check.integration_id)));
      }
    }
    return required;
  }

  async #checkRuns(repo: string, ref: string, signal?: AbortSignal): Promise<CheckReport[]> {
    const what = `check runs of ${repo} ${ref}`;
    const route = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs";
    const rows = await this.#all({ what, route, parameters: { ...named(repo), ref }, signal }, "check_runs");
    return rows.map((row) => {
      const appId = rowIn(row, "app")?.id;
      return {
        context: textIn(row, "name", what),
        ...(typeof appId === "number" ? { appId } : {}),
        verdict: verdictOfRun(row.status, row.conclusion),
      };
    });
  }

  async #statuses(repo: string, ref: string, signal?: AbortSignal): Promise<CheckReport[]> {
    const what = `statuses of ${repo} ${ref}`;
    const route = "GET /repos/{owner}/{repo}/commits/{ref}/status";
    const rows = await this.#all({ what, route, parameters: { ...named(repo), ref }, signal }, "statuses");
    return rows.map((row) => ({ context: textIn(row, "context", what), verdict: verdictOfStatus(row.state) }));
  }

  /** Every page of a list that the platform wraps in an object, under `key`. */
  async #all(get: Get, key: string): Promise<Readonly<Record<string, unknown>>[]> {
    const rows: Readonly<Record<string, unknown>>[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const answer = await this.#get({ ...get, parameters: { ...get.parameters, per_page: PAGE_SIZE, page } });
      const row = asRow(answer.data, get.what);
      if (!Array.isArray(row[key])) throw badAnswer(get.what, `${key} is missing`);
      rows.push(...asRows(row[key], get.what));
      more = lastPage(answer.link, page) > page;
    }
    return rows;
  }

  #pageOf(what: string, route: string, parameters: Readonly<Record<string, unknown>>) {
    return (page: number, etag: string | undefined): Promise<Answer> =>
      this.#get({ what, route, parameters: { ...parameters, per_page: PAGE_SIZE, page }, etag });
  }

  async #getIfAny(get: Get): Promise<Answer | undefined> {
    try {
      return await this.#get(get);
    } catch (thrown) {
      if (failedWith(thrown, "codehost_not_found")) return undefined;
      throw thrown;
    }
  }

  /** Sends a request as ourselves. When the platform no longer knows an app's token, gets a new one and tries once more. */
  async #get(get: Get): Promise<Answer> {
    const authorization = await this.#identity.authorization(get.signal);
    const renew = () => this.#identity.another(authorization, get.signal);
    return this.#caller.send({ ...get, authorization, renew, identity: "installation" });
  }
}

function named(repo: string): { owner: string; repo: string } {
  const [owner = "", name = "", ...rest] = repo.split("/");
  if (owner === "" || name === "" || rest.length > 0) throw badAnswer(repo, "a repository is named owner/name");
  return { owner, repo: name };
}

function requiredCheck(context: unknown, appId: unknown): RequiredCheck {
  const named = { context: String(context) };
  // -1 and null mean any app.
  return typeof appId === "number" && appId > 0 ? { ...named, appId } : named;
}
