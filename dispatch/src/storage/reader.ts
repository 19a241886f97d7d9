import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row } from "./columns.ts";

/** Reads from the database. Statements are standard SQL that both engines accept, with parameters `?1`, `?2`. */
export interface Reader {
  /** All rows of a query. PostgreSQL returns 64-bit integers as text. */
  all(sql: string, ...values: readonly (string | number | null)[]): Promise<Row[]>;
}

/** Reads from the embedded database; prepares each statement once. */
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
