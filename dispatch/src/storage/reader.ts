import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row } from "./columns.ts";

/** Asks what is on disk. Statements are the same on both engines: standard SQL, parameters as `?1`, `?2`. */
export interface Reader {
  /** Every row of the answer; numbers may come as text where the engine's are wider than ours. */
  all(sql: string, ...values: readonly (string | number | null)[]): Promise<Row[]>;
}

/** Reads the embedded database; each statement is prepared once. */
export class SqliteReader implements Reader {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
  }

  async all(sql: string, ...values: readonly (string | number | null)[]): Promise<Row[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}
