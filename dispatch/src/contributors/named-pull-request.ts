import { pullRequestLink, pullRequestUrl } from "@nest/codehost";
import type { NamedPullRequest } from "../leases/decider-deps.ts";
import { itemKey } from "../leases/lease.ts";

/**
 * The pull request at the code host `webUrl` that an address names. Anything after its number is dropped, and its repository
 * is spelled like `repo` if it is that one. Undefined for any other address.
 */
export function pullRequestAt(address: string, repo: string, webUrl: string): NamedPullRequest | undefined {
  const name = pullRequestLink(address, webUrl);
  if (name === undefined) return undefined;
  const isOfRepo = name.repo.toLowerCase() === repo.toLowerCase();
  const url = pullRequestUrl(isOfRepo ? { ...name, repo } : name, webUrl);
  return { key: itemKey(name.repo, name.number), isOfRepo, url };
}
