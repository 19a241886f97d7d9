import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NestError } from "@nest/kit";
import { migrations, newestOf } from "./migrations.ts";
import { type Reader, SqliteReader } from "./reader.ts";

/** How long a statement waits for another process's lock; the process killed a moment ago may still hold it. */
const BUSY_TIMEOUT_MS = 5000;

/** The hub's embedded database: one file, one hub. */
export interface SqliteDatabase {
  readonly kind: "sqlite";
  readonly reader: Reader;
  readonly sqlite: DatabaseSync;
  /** Closes the database and gives up the lock. */
  close(): void;
}

/**
 * Opens the hub's embedded database, made or brought up to date where needed. One hub at a time: the lock is held by the
 * operating system and is gone with the process, however it ends.
 *
 * @throws NestError `database_in_use` when another hub has this data directory, `database_newer` when a newer release wrote it.
 */
export function openSqlite(file: string): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock(join(dirname(file), ".hub.lock"), file);
  makePrivate(file);
  const sqlite = new DatabaseSync(file);
  try {
    sqlite.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sqlite.exec(
      "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864",
    );
    migrate(sqlite);
  } catch (thrown) {
    sqlite.close();
    lock.close();
    throw thrown;
  }
  return {
    kind: "sqlite",
    sqlite,
    reader: new SqliteReader(sqlite),
    close() {
      sqlite.close();
      lock.close();
    },
  };
}

/** Makes a database's file for its owner alone; SQLite gives what it puts beside it the same mode. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}

function takeLock(path: string, file: string): DatabaseSync {
  makePrivate(path);
  const lock = new DatabaseSync(path);
  try {
    lock.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; pragma locking_mode = exclusive; begin exclusive`);
    return lock;
  } catch (cause) {
    lock.close();
    throw new NestError("database_in_use", `another hub is using ${file}`, {
      hint: "stop the other hub, or set NEST_DATA_DIR to a folder of its own; several hubs share one PostgreSQL",
      cause,
    });
  }
}

function migrate(sqlite: DatabaseSync): void {
  sqlite.exec("create table if not exists migrations (id integer primary key, name text not null)");
  const last = Number(sqlite.prepare("select coalesce(max(id), 0) as last from migrations").get()?.last ?? 0);
  for (const migration of newestOf(migrations, last)) {
    sqlite.exec("begin immediate");
    try {
      sqlite.exec(migration.sql);
      sqlite.prepare("insert into migrations (id, name) values (?, ?)").run(migration.id, migration.name);
      sqlite.exec("commit");
    } catch (thrown) {
      sqlite.exec("rollback");
      throw thrown;
    }
  }
}
