import { closingReferences, type PullRequest } from "@nest/codehost";
import type { Durations } from "@nest/protocol";
import { itemKey } from "../leases/lease.ts";
import type { Claim } from "./entry.ts";

/** Issues that one pull request can claim: nobody withholds a whole queue by naming it. */
const MOST_CLAIMED = 20;

/** What the claims of one repository's pull requests are made from. */
export interface PullRequestScan {
  readonly open: readonly PullRequest[];
  readonly merged: readonly PullRequest[];
  /** Addresses of open pull requests that are red on a required check and stale: they claim nothing. */
  readonly redAndStale: ReadonlySet<string>;
}

/**
 * The issues that a repository's pull requests claim (spec: Issue claim ledger): named with a closing keyword in title or body,
 * by any author, in any repository. A claim lives 72 hours, refreshed while its pull request is open; a merged one lives out
 * its time. Open beats merged, then the one that lasts longer.
 */
export function claimsOf(
  repo: string,
  scan: PullRequestScan,
  webUrl: string,
  times: Durations,
  now: number,
): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  for (const pull of scan.merged)
    add(claims, repo, pull, (pull.mergedAt ?? pull.updatedAt) + times.claimTtlMs, webUrl, now);
  for (const pull of scan.open) {
    if (!scan.redAndStale.has(pull.url)) add(claims, repo, pull, now + times.claimTtlMs, webUrl, now);
  }
  return claims;
}

function add(
  claims: Map<string, Claim>,
  repo: string,
  pull: PullRequest,
  until: number,
  webUrl: string,
  now: number,
): void {
  if (until <= now) return;
  const references = closingReferences(`${pull.title}\n${pull.body}`, repo, webUrl);
  for (const reference of references.slice(0, MOST_CLAIMED)) {
    claims.set(itemKey(reference.repo, reference.number), { pullRequestUrl: pull.url, until });
  }
}
