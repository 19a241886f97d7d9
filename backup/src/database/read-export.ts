import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NestError } from "@nest/kit";
import type { Row } from "./rows.ts";
import { DatabaseFacts, type TableFacts } from "./shape.ts";

export interface Loaded {
  readonly tables: number;
  readonly rows: number;
}

/** Reads an export's `schema.json`. @throws NestError `database_not_restored` when it is invalid. */
export async function readSchema(folder: string): Promise<DatabaseFacts> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(join(folder, "schema.json"), "utf8"));
  } catch (cause) {
    throw new NestError("database_not_restored", "hub/database/schema.json is not JSON", { cause });
  }
  const checked = DatabaseFacts.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const where = issue?.path.join(".") || "its content";
  throw new NestError("database_not_restored", `hub/database/schema.json is not valid at ${where}`);
}

/**
 * Reads the rows of a table, one line at a time.
 *
 * @throws NestError `database_not_restored` for an invalid line, and at the end if the number of rows is not the announced
 * one.
 */
export async function* rowsOf(folder: string, table: TableFacts): AsyncGenerator<Row> {
  const input = createReadStream(join(folder, `${table.name}.jsonl`));
  let rows = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      rows += 1;
      yield rowIn(line, `${table.name}, row ${rows}`);
    }
  } finally {
    input.destroy();
  }
  if (rows === table.rows) return;
  throw new NestError("database_not_restored", `${table.name} has ${rows} rows, schema.json says ${table.rows}`);
}

function rowIn(line: string, where: string): Row {
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === "object" && row !== null) return row as Row;
  } catch {
    // Reported by the throw below.
  }
  throw new NestError("database_not_restored", `${where} is no row`);
}

/** Why a value or a statement was rejected, without the value. */
export function notRestored(what: string, cause: unknown): unknown {
  if (cause instanceof NestError || (cause as NodeJS.ErrnoException).syscall !== undefined) return cause;
  const { message = "" } = cause as Error;
  return new NestError("database_not_restored", `${what}: ${message}`, { cause });
}
