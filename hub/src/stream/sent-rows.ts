import { rowsInSteps } from "../operations/rows-in-steps.ts";

/** A row as last sent. */
interface Sent<Row> {
  row: Row;
  /** The fact of it that is told apart, as it was told. */
  apart: string | undefined;
}

/** What has changed in a list of rows. */
export interface RowChanges<Row> {
  readonly changed: readonly Row[];
  /** Rows of which nothing changed but the fact that is told apart. */
  readonly apart: readonly Row[];
  /** Names of rows that are not there any more. */
  readonly gone: readonly string[];
}

export interface RowFields<Row> {
  /** The field with the row's name. */
  readonly name: keyof Row & string;
  /** A field that is told apart: a row is not another one because of it, and its owner may write it into the same object. */
  readonly apart?: keyof Row & string;
}

/**
 * A list of rows as last sent. A row that is the same object as last time is the same; the texts are not kept, for hundreds of new ones a
 * second would all have to be collected again. It is changed in place: with thousands of rows copies are costly.
 */
export class SentRows<Row extends object> {
  readonly #sent = new Map<string, Sent<Row>>();
  readonly #fields: RowFields<Row>;

  constructor(fields: RowFields<Row>) {
    this.#fields = fields;
  }

  get size(): number {
    return this.#sent.size;
  }

  /** The rows, in the order in which they came. */
  all(): Row[] {
    return [...this.#sent.values()].map(({ row }) => row);
  }

  /** Takes the rows as they are now. A generator, a few rows a step. */
  *take(rows: readonly Row[]): Generator<void, RowChanges<Row>> {
    const changed: Row[] = [];
    const apart: Row[] = [];
    yield* rowsInSteps(rows, (row) => {
      const how = this.#takeOne(row);
      if (how === "changed") changed.push(row);
      else if (how === "apart") apart.push(row);
    });
    return { changed, apart, gone: yield* this.#dropOthers(rows) };
  }

  #takeOne(row: Row): "changed" | "apart" | "same" {
    const name = String(row[this.#fields.name]);
    const told = this.#apartOf(row);
    const sent = this.#sent.get(name);
    if (sent === undefined) {
      this.#sent.set(name, { row, apart: told });
      return "changed";
    }
    const { row: before, apart } = sent;
    sent.row = row;
    sent.apart = told;
    if (before !== row && !isSame(before, row, this.#fields.apart)) return "changed";
    return apart === told ? "same" : "apart";
  }

  #apartOf(row: Row): string | undefined {
    const { apart } = this.#fields;
    return apart === undefined ? undefined : String(row[apart]);
  }

  *#dropOthers(rows: readonly Row[]): Generator<void, readonly string[]> {
    // Most of the time nobody is gone, and nothing has to be looked for.
    if (this.#sent.size === rows.length) return [];
    const here = new Set(rows.map((row) => String(row[this.#fields.name])));
    const gone: string[] = [];
    yield* rowsInSteps([...this.#sent.keys()], (name) => {
      if (!here.has(name)) gone.push(name);
    });
    for (const name of gone) this.#sent.delete(name);
    return gone;
  }
}

/** Whether two rows say the same, but for one field. A field that is there is never undefined. */
function isSame(before: object, after: object, except: string | undefined): boolean {
  const [old, now] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>];
  let more = 0;
  // No list of fields is made: this is asked of thousands of rows a second.
  for (const name in now) {
    if (name !== except && !saysSame(old[name], now[name])) return false;
    more += 1;
  }
  for (const _ in old) more -= 1;
  return more === 0;
}

function saysSame(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  if (typeof before !== "object" || typeof after !== "object") return false;
  return JSON.stringify(before) === JSON.stringify(after);
}
