import { closingReferences, type PullRequest } from "@nest/codehost";
import type { NamedWork } from "../leases/commands.ts";
import { itemKey } from "../leases/lease.ts";

/**
 * How far the code host's clock may differ from ours; it also reports whole seconds only. It is never scaled, because the
 * code host's clock does not run faster under a test clock.
 */
const CLOCKS_DIFFER_MS = 60_000;

export type CreditWork = Pick<NamedWork, "repo" | "number" | "key" | "assignedAt" | "completedAt">;

/** The contributor to be credited, as the code host knows them. */
export interface CreditedContributor {
  readonly login: string;
  readonly accountId: number | undefined;
}

/**
 * Returns why a pull request does not count for the task that named it; undefined when it counts. It must belong to the
 * assigned repository and be opened after the assignment, by this contributor. One opened by the app counts if it was opened
 * while this lease held the issue and its branch or a closing reference names the issue.
 */
export function whyNotCredited(
  pull: PullRequest,
  work: CreditWork,
  contributor: CreditedContributor | undefined,
  app: string | undefined,
  webUrl: string,
): string | undefined {
  if ((pull.baseRepo ?? pull.repo).toLowerCase() !== work.repo.toLowerCase())
    return "the pull request named is not of this repository";
  if (pull.createdAt < work.assignedAt - CLOCKS_DIFFER_MS)
    return "the pull request named was opened before the task was assigned";
  if (contributor !== undefined && isBy(pull, contributor)) return undefined;
  if (!pull.authorIsApp || pull.author.toLowerCase() !== app?.toLowerCase())
    return "the pull request named was opened by somebody else";
  if (pull.createdAt > work.completedAt + CLOCKS_DIFFER_MS)
    return "the pull request named was opened after the task was over";
  return namesIssue(pull, work, webUrl) ? undefined : "the pull request named does not name the assigned issue";
}

/** Compares account numbers, and logins only if nobody has proven the login yet. */
function isBy(pull: PullRequest, { login, accountId }: CreditedContributor): boolean {
  if (accountId !== undefined) return pull.authorId === accountId;
  return pull.author.toLowerCase() === login.toLowerCase();
}

/** All pull requests of an app have the same author, so the branch or the text must name the issue. */
function namesIssue(pull: PullRequest, { repo, number, key }: CreditWork, webUrl: string): boolean {
  if (new RegExp(`(?:^|[^a-z])issues?[-_/]?${number}(?![0-9])`, "i").test(pull.headRef)) return true;
  return closingReferences(`${pull.title}\n${pull.body}`, repo, webUrl).some(
    (named) => itemKey(named.repo, named.number) === key,
  );
}
