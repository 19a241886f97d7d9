import { pullRequestLink, pullRequestUrl } from "@nest/codehost";
import type { NamedPullRequest } from "../leases/decider-deps.ts";
import { itemKey } from "../leases/lease.ts";

/**
 * The pull request of the code host at `webUrl` that an address names: whatever follows its number is left out, and its
 * repository is spelled as `repo` where it is that one. Undefined for any other address.
 */
export function pullRequestAt(address: string, repo: string, webUrl: string): NamedPullRequest | undefined {
  const name = pullRequestLink(address, webUrl);
  if (name === undefined) return undefined;
  const isOfRepo = name.repo.toLowerCase() === repo.toLowerCase();
  const url = pullRequestUrl(isOfRepo ? { ...name, repo } : name, webUrl);
  return { key: itemKey(name.repo, name.number), isOfRepo, url };
}
