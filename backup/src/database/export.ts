import type { Member } from "@nest/archive";
import { lineOf, plainRow, type Row } from "./rows.ts";
import type { DatabaseFacts } from "./shape.ts";

/** A snapshot of the hub's database that does not change while the hub writes. */
export interface DatabaseSnapshot extends AsyncDisposable {
  readonly facts: DatabaseFacts;
  /** The rows of a table, in a stable order. */
  rows(table: string): AsyncIterable<Row> | Iterable<Row>;
}

const PIECE_BYTES = 256 * 1024;

/**
 * The database as members of the archive: `hub/database/schema.json`, and a file of lines for each table. A member's size
 * must be known before its content, so each table is read twice. Both readings of the snapshot are equal, so nothing has to
 * be kept in memory or on disk.
 */
export async function* databaseMembers(snapshot: DatabaseSnapshot, mtime: number): AsyncGenerator<Member> {
  const file = (name: string, size: number, content: Member["content"]): Member => {
    return { path: `hub/database/${name}`, mode: 0o600, mtime, size, content };
  };
  for (const table of snapshot.facts.tables) {
    let size = 0;
    for await (const row of snapshot.rows(table.name)) size += Buffer.byteLength(lineOf(plainRow(row)));
    yield file(`${table.name}.jsonl`, size, linesOf(snapshot, table.name));
  }
  const schema = Buffer.from(`${JSON.stringify(snapshot.facts, undefined, 2)}\n`);
  yield file("schema.json", schema.length, [schema]);
}

/** Yields pieces that share one buffer: use each up before asking for the next. */
async function* linesOf(snapshot: DatabaseSnapshot, table: string): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let filled = 0;
  for await (const row of snapshot.rows(table)) {
    const line = lineOf(plainRow(row));
    const bytes = Buffer.byteLength(line);
    if (filled + bytes > PIECE_BYTES) {
      yield piece.subarray(0, filled);
      filled = 0;
    }
    if (bytes > PIECE_BYTES) yield Buffer.from(line);
    else filled += piece.write(line, filled);
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
