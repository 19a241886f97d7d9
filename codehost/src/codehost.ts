import type { Secret } from "@nest/kit";

/** An open or closed issue; never a pull request. Times are milliseconds since 1970. */
export interface Issue {
  /** `owner/name`. */
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly state: "open" | "closed";
  readonly author: string;
  /** See {@link Account.id}. */
  readonly authorId?: number;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An account: a login can be given up and taken by somebody else, its number never. */
export interface Account {
  readonly login: string;
  /** Absent only where a platform tells no numbers. */
  readonly id?: number;
}

/** A pull request. Times are milliseconds since 1970. */
export interface PullRequest {
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly author: string;
  /** The author's number, which no other account ever gets; absent when the account is gone. */
  readonly authorId?: number;
  /** Whether an app (a bot account) opened it. */
  readonly authorIsApp: boolean;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly mergedAt?: number;
  readonly headRef: string;
  readonly headSha: string;
  /** Absent when the fork it came from is gone. */
  readonly headRepo?: string;
  readonly baseRef: string;
  /** The repository that it asks to change, as the platform spells it now. */
  readonly baseRepo?: string;
  readonly draft: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A comment on an issue. Times are milliseconds since 1970. */
export interface Comment {
  readonly author: string;
  /** See {@link Account.id}. */
  readonly authorId?: number;
  readonly authorIsApp: boolean;
  /** Whether the platform counts whoever wrote it among the people of the repository: owner, member or collaborator. */
  readonly authorBelongs: boolean;
  /** When it was written, or changed last. */
  readonly updatedAt: number;
}

/** A complete list. `unchanged`: `items` is the same array object as in the scan before. */
export interface Scan<T> {
  readonly items: readonly T[];
  readonly unchanged: boolean;
}

/** `none`: the base branch requires no check. `red`: a required one failed. `pending`: one has not answered yet. */
export type RequiredChecks = "green" | "red" | "pending" | "none";

export type Access = "read" | "write";

/** A short-lived token for one task. */
export interface TaskCredential {
  readonly token: Secret;
  readonly expiresAt: number;
}

/** The result of reading a text file. */
export type TextFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "too_large" };

/** The stable codes of the failures that a code host throws, each a {@link NestError}. */
export type CodeHostErrorCode =
  | "codehost_unreachable"
  | "codehost_rate_limited"
  | "codehost_refused"
  | "codehost_bad_answer"
  | "codehost_not_found";

/**
 * The code-hosting platform as the product sees it. Repositories are named `owner/name`. Every method throws a NestError with a
 * {@link CodeHostErrorCode}, or the reason of the given signal; none of them ever answers with part of a list.
 */
export interface CodeHost {
  /** How we authenticate: as an installed app, or with a person's token. */
  readonly kind: "app" | "token";

  /** Every open issue of a repository, oldest first, pull requests left out. */
  openIssues(repo: string, signal?: AbortSignal): Promise<Scan<Issue>>;

  /** Every open pull request of a repository, oldest first. */
  openPullRequests(repo: string, signal?: AbortSignal): Promise<Scan<PullRequest>>;

  /** Pull requests merged at `sinceMs` (milliseconds since 1970) or later, in no promised order. */
  recentlyMergedPullRequests(repo: string, sinceMs: number, signal?: AbortSignal): Promise<readonly PullRequest[]>;

  /** One issue; undefined when there is none, or when the number is a pull request's. */
  issue(repo: string, number: number, signal?: AbortSignal): Promise<Issue | undefined>;

  /** The comments on an issue that were written or changed at `sinceMs` (milliseconds since 1970) or later. */
  issueComments(repo: string, number: number, sinceMs: number, signal?: AbortSignal): Promise<readonly Comment[]>;

  /** One pull request; undefined when there is none. */
  pullRequest(repo: string, number: number, signal?: AbortSignal): Promise<PullRequest | undefined>;

  /** What the checks that the base branch requires (branch protection and rulesets) say about the head commit. */
  requiredChecks(
    pullRequest: Pick<PullRequest, "repo" | "baseRef" | "headSha">,
    signal?: AbortSignal,
  ): Promise<RequiredChecks>;

  /** Whose token this is; undefined when the platform refuses it. */
  whoIs(token: Secret, signal?: AbortSignal): Promise<Account | undefined>;

  /** The login that we act as: the person of the token, or `<slug>[bot]`. Asked once, then remembered. */
  self(signal?: AbortSignal): Promise<string>;

  /**
   * A token that opens one repository, with these permissions and no more. Undefined with a personal token: that one is never
   * handed out.
   */
  taskCredential(
    repo: string,
    permissions: Readonly<Record<string, Access>>,
    signal?: AbortSignal,
  ): Promise<TaskCredential | undefined>;

  /** Revokes a token of {@link taskCredential}. A token that is revoked or expired already is no failure. */
  revokeCredential(token: Secret, signal?: AbortSignal): Promise<void>;

  /**
   * True when only members can see the repository. Also true when the platform hides the repository from us or does not know
   * it: a repository counts as public only where the platform says so.
   */
  isPrivate(repo: string, signal?: AbortSignal): Promise<boolean>;

  /** A text file of a repository at a ref, read only up to `maxBytes`. */
  textFile(
    file: { readonly repo: string; readonly path: string; readonly ref?: string; readonly maxBytes: number },
    signal?: AbortSignal,
  ): Promise<TextFile>;

  /** Adds labels to an issue or a pull request; those that it has already stay. */
  addLabels(repo: string, number: number, labels: readonly string[], signal?: AbortSignal): Promise<void>;

  /** `owner/name` of every repository the app is installed on; empty with a personal token. */
  installationRepositories(signal?: AbortSignal): Promise<readonly string[]>;
}
