import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isAbsent, NestError } from "@nest/kit";
import type { DatabaseSnapshot } from "./export.ts";
import type { Row } from "./rows.ts";
import { quoted } from "./shape.ts";
import { sqliteFacts, sqliteOrder } from "./sqlite-shape.ts";

const BUSY_TIMEOUT_MS = 5000;
const COPY_ATTEMPTS = 5;
const WAL_HEADER_BYTES = 32;

/**
 * A snapshot of the hub's embedded database while the hub continues to write: one read transaction on the live file. If the
 * folder is mounted read-only, the live file cannot be shared with the hub; then the database and its log are copied, and the
 * copy is used only if neither file was rewritten during it.
 *
 * @returns undefined when there is no database.
 * @throws NestError `database_unreadable`
 */
export function snapshotSqlite(file: string): DatabaseSnapshot | undefined {
  try {
    if (!statSync(file).isFile()) throw new NestError("database_unreadable", `${file} is no file`);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
  if (!isWritable(dirname(file))) return snapshotOfCopy(file);
  try {
    return begin(file, () => {});
  } catch {
    return snapshotOfCopy(file);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function begin(file: string, discard: () => void): DatabaseSnapshot {
  const sqlite = new DatabaseSync(file, { readOnly: true });
  try {
    sqlite.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}; begin`);
    const facts = sqliteFacts(sqlite);
    return {
      facts,
      *rows(table) {
        const statement = sqlite.prepare(`select * from ${quoted(table)} order by ${sqliteOrder(sqlite, table)}`);
        statement.setReadBigInts(true);
        yield* statement.iterate() as Iterable<Row>;
      },
      async [Symbol.asyncDispose]() {
        sqlite.close();
        discard();
      },
    };
  } catch (thrown) {
    sqlite.close();
    throw thrown;
  }
}

function snapshotOfCopy(file: string): DatabaseSnapshot {
  const folder = mkdtempSync(join(tmpdir(), "nest-backup-sqlite-"));
  const discard = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (let attempt = 0; attempt < COPY_ATTEMPTS; attempt += 1) {
      if (copyTogether(file, join(folder, "hub.sqlite"))) return begin(join(folder, "hub.sqlite"), discard);
    }
    throw new NestError("database_unreadable", `${file} was rewritten each time it was copied`);
  } catch (thrown) {
    discard();
    if (thrown instanceof NestError) throw thrown;
    throw new NestError("database_unreadable", `${file} cannot be read as a database`, { cause: thrown });
  }
}

/** Copies the database and its log; false when a checkpoint moved pages between the two files during the copy. */
function copyTogether(from: string, to: string): boolean {
  const before = stateOf(from);
  try {
    copyFileSync(`${from}-wal`, `${to}-wal`, constants.COPYFILE_FICLONE);
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
    rmSync(`${to}-wal`, { force: true });
  }
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  return before === stateOf(from);
}

function stateOf(file: string): string {
  const { size, mtimeMs, ino } = statSync(file);
  return [size, mtimeMs, ino, startOf(`${file}-wal`)].join(" ");
}

function startOf(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    const start = Buffer.alloc(WAL_HEADER_BYTES);
    readSync(descriptor, start, 0, WAL_HEADER_BYTES, 0);
    closeSync(descriptor);
    return start.toString("hex");
  } catch {
    return "";
  }
}
