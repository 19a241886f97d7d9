import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NestError } from "@nest/kit";
import { Checkpoints } from "./checkpoints.ts";
import { reserveLog } from "./log-length.ts";
import { migrationsFor, newestOf } from "./migrations.ts";
import { BUSY_TIMEOUT_PRAGMA, HUB_PRAGMAS } from "./pragmas.ts";
import { type Reader, SqliteReader } from "./reader.ts";

/** The hub's embedded database: one file, one hub. */
export interface SqliteDatabase {
  readonly kind: "sqlite";
  readonly reader: Reader;
  readonly sqlite: DatabaseSync;
  readonly checkpoints: Checkpoints;
  /** Closes the database and gives up the lock. */
  close(): Promise<void>;
}

/**
 * Opens the hub's embedded database and creates or migrates it. Only one hub at a time can open it: the operating system
 * holds the lock and frees it when the process ends, however it ends. Its log gets `logBytes` ({@link reserveLog}).
 *
 * @throws NestError `database_in_use` when another hub has this data directory, `database_newer` when a newer release wrote
 * it, `database_older` when a build before the first release did.
 */
export function openSqlite(file: string, logBytes = 0): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock(join(dirname(file), ".hub.lock"), file);
  makePrivate(file);
  let sqlite: DatabaseSync;
  try {
    // SQLite deletes the log of an empty database, so create the tables first.
    if (logBytes > 0 && statSync(file).size === 0) connect(file).close();
    if (logBytes > 0) reserveLog(file, logBytes);
    sqlite = connect(file);
  } catch (thrown) {
    lock.close();
    throw thrown;
  }
  const checkpoints = new Checkpoints(sqlite, file);
  return {
    kind: "sqlite",
    sqlite,
    checkpoints,
    reader: new SqliteReader(sqlite),
    async close() {
      await checkpoints.close();
      sqlite.close();
      lock.close();
    },
  };
}

function connect(file: string): DatabaseSync {
  const sqlite = new DatabaseSync(file);
  try {
    sqlite.exec(HUB_PRAGMAS);
    migrate(sqlite);
    return sqlite;
  } catch (thrown) {
    sqlite.close();
    throw thrown;
  }
}

/** Creates a database's file, readable by its owner alone. SQLite gives the files that it puts beside it the same mode. */
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
    lock.exec(`${BUSY_TIMEOUT_PRAGMA} pragma locking_mode = exclusive; begin exclusive`);
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
  for (const migration of newestOf(migrationsFor("sqlite"), last)) {
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
