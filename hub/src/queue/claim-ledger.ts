import type { DatabaseSync } from "node:sqlite";
import type { Claim } from "./entry.ts";

/**
 * The claims of every monitored repository, kept across restarts. A complete scan of a repository replaces what its pull
 * requests claim; a repository that could not be read keeps its claims until they run out.
 */
export class ClaimLedger {
  readonly #sqlite: DatabaseSync;
  readonly #byRepo = new Map<string, Map<string, Claim>>();

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
    for (const row of sqlite.prepare("select * from claims").all()) {
      const repo = String(row.repo);
      const claims = this.#byRepo.get(repo) ?? new Map<string, Claim>();
      claims.set(String(row.item_key), { pullRequestUrl: String(row.pull_request_url), until: Number(row.until) });
      this.#byRepo.set(repo, claims);
    }
  }

  /** Takes over a complete scan; durable when it returns. */
  replace(repo: string, claims: ReadonlyMap<string, Claim>): void {
    this.#sqlite.exec("begin immediate");
    try {
      this.#sqlite.prepare("delete from claims where repo = ?").run(repo);
      const insert = this.#sqlite.prepare(
        "insert into claims (repo, item_key, pull_request_url, until) values (?, ?, ?, ?)",
      );
      for (const [key, claim] of claims) insert.run(repo, key, claim.pullRequestUrl, claim.until);
      this.#sqlite.exec("commit");
    } catch (thrown) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("rollback");
      throw thrown;
    }
    this.#byRepo.set(repo, new Map(claims));
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
