import type { DatabaseSync } from "node:sqlite";
import type { Claim } from "../queue/entry.ts";
import { claimsOfRows, type Scan, type ScanStore } from "../queue/scan-store.ts";

/** Stores the claims in the embedded database. The issues are not stored: the hub reads them again when it starts. */
export class SqliteScans implements ScanStore {
  readonly #sqlite: DatabaseSync;

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
  }

  async claims(): Promise<Map<string, Map<string, Claim>>> {
    return claimsOfRows(this.#sqlite.prepare("select * from claims").all());
  }

  async save({ repo, claims }: Scan): Promise<void> {
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
  }

  async failed(): Promise<void> {}

  async drop(): Promise<void> {}
}
