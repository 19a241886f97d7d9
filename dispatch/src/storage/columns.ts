/**
 * Describes the columns of a table once. The table, the statements of both engines, their values and the records that are
 * read back are all made from this description.
 */
export type Value = string | number | undefined;

export interface Column<Source> {
  readonly name: string;
  /** Numbers are whole: `integer` in SQLite, `bigint` in PostgreSQL. */
  readonly type: "text" | "integer";
  readonly isOptional: boolean;
  /** The step of the schema that adds the column; undefined for the columns of the first step. */
  readonly since?: number;
  /** The column's value, computed from a record. */
  readonly of: (source: Source) => Value;
  /** The record's field that this column is read back into; undefined for a derived column. */
  readonly field: string | undefined;
}

/** A row as either engine returns it. PostgreSQL returns 64-bit integers as text. */
export type Row = Record<string, unknown>;

/**
 * A column that stores one field of a record; `of` gets it from what is written. One function a column, always of the same
 * field, is what the engine makes fast.
 */
export function column<Source, Fields = Source>(
  name: string,
  type: Column<Source>["type"],
  field: keyof Fields & string,
  of: (source: Source) => Value,
): Column<Source> {
  return { name, type, isOptional: false, of, field };
}

/** The same, for a field that may be undefined. */
export function optional<Source, Fields = Source>(
  name: string,
  type: Column<Source>["type"],
  field: keyof Fields & string,
  of: (source: Source) => Value,
): Column<Source> {
  return { ...column<Source, Fields>(name, type, field, of), isOptional: true };
}

/** A column that is computed from a record and never read back. */
export function derived<Source>(
  name: string,
  type: Column<Source>["type"],
  of: (source: Source) => Value,
): Column<Source> {
  return { name, type, isOptional: false, of, field: undefined };
}

/**
 * A column that a later step of the schema adds to existing databases. It must be optional: the rows that are there have no value.
 *
 * @throws Error when it is not.
 */
export function since<Source>(step: number, added: Column<Source>): Column<Source> {
  if (!added.isOptional) throw new Error(`the column ${added.name} of step ${step} must be optional`);
  return { ...added, since: step };
}

/** The columns with these names, in this order. @throws Error when a name is unknown. */
export function pick<Source>(columns: readonly Column<Source>[], ...names: readonly string[]): Column<Source>[] {
  return names.map((name) => {
    const found = columns.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no column is called ${name}`);
    return found;
  });
}

/** All columns except those with these names. */
export function except<Source>(columns: readonly Column<Source>[], ...names: readonly string[]): Column<Source>[] {
  return columns.filter(({ name }) => !names.includes(name));
}

/** Joins the columns' names as `a, b, c`; `write` changes how each is written. */
export function listed(
  columns: readonly { readonly name: string }[],
  write: (name: string) => string = (name) => name,
): string {
  return columns.map(({ name }) => write(name)).join(", ");
}

/**
 * Returns a function that gives a record's values, one per column, for a statement that takes them at once: every call fills the
 * same array, for thousands of rows are written in a second.
 */
export function valuesOf<Source>(columns: readonly Column<Source>[]): (source: Source) => (string | number | null)[] {
  const readers = columns.map(({ of }) => of);
  const values: (string | number | null)[] = readers.map(() => null);
  return (source) => {
    for (let at = 0; at < readers.length; at += 1) values[at] = readers[at]?.(source) ?? null;
    return values;
  };
}

/** Returns a function that reads a record from a row: text as text, numbers as numbers, null as undefined. */
export function readerOfRows<Record>(columns: readonly Column<never>[]): (row: Row) => Record {
  const read = columns.flatMap(({ name, type, field }) =>
    field === undefined ? [] : [{ name, field, isText: type === "text" }],
  );
  return (row) => {
    const record: Row = {};
    for (const { name, field, isText } of read) {
      const value = row[name];
      record[field] = value === null || value === undefined ? undefined : isText ? String(value) : Number(value);
    }
    return record as Record;
  };
}
