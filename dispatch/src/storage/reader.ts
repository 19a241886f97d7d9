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
    return this.run(sql, values);
  }

  protected run(sql: string, values: readonly (string | number | null)[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}

/**
 * Runs statements that write what can be made again from other rows. Nobody waits until they are on disk: after a power failure the last
 * of them may be undone, in order, as if they had not been run.
 */
export class UnsyncedSqliteReader extends SqliteReader {
  readonly #connection: DatabaseSync;

  constructor(sqlite: DatabaseSync) {
    super(sqlite);
    this.#connection = sqlite;
  }

  override async all(sql: string, ...values: readonly (string | number | null)[]): Promise<Row[]> {
    // With a write-ahead log `normal` commits without waiting for the disk (sqlite.org/pragma.html#pragma_synchronous).
    this.#connection.exec("pragma synchronous = normal");
    try {
      // Done when it returns: nobody else's statement comes between.
      return this.run(sql, values);
    } finally {
      this.#connection.exec("pragma synchronous = full");
    }
  }
}
