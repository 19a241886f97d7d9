import type { Claim } from "./entry.ts";

/**
 * The claims of every monitored repository. A complete scan of a repository replaces what its pull requests claim; a repository
 * that could not be read keeps its claims until they run out.
 */
export class ClaimLedger {
  readonly #byRepo: Map<string, ReadonlyMap<string, Claim>>;

  /** Begins with the claims that were kept. */
  constructor(kept: ReadonlyMap<string, ReadonlyMap<string, Claim>>) {
    this.#byRepo = new Map(kept);
  }

  /** Takes over a complete scan. */
  replace(repo: string, claims: ReadonlyMap<string, Claim>): void {
    this.#byRepo.set(repo, claims);
  }

  /** Every claim in force, by issue. */
  all(now: number): Map<string, Claim> {
    const all = new Map<string, Claim>();
    for (const claims of this.#byRepo.values()) {
      for (const [key, claim] of claims) {
        if (claim.until > now && claim.until > (all.get(key)?.until ?? 0)) all.set(key, claim);
      }
    }
    return all;
  }
}
