/**
 * Describes the columns of a table once. From that one description come the table itself, the statements of both engines, the
 * values that they are given, and the records that are read back.
 */
export type Value = string | number | undefined;

export interface Column<Source> {
  readonly name: string;
  /** Numbers are whole: `integer` in SQLite, `bigint` in PostgreSQL. */
  readonly type: "text" | "integer";
  readonly isOptional: boolean;
  /** What the column holds of a record. */
  readonly of: (source: Source) => Value;
  /** The field of the record that is read back from it; undefined for what is derived. */
  readonly field: string | undefined;
}

/** A row as either engine gives it: numbers may come as text where the engine's are wider than ours. */
export type Row = Record<string, unknown>;

/** A column that holds one field of a record. */
export function column<Source>(
  name: string,
  type: Column<Source>["type"],
  field: keyof Source & string,
  of: (source: Source) => Value = (source) => source[field] as Value,
): Column<Source> {
  return { name, type, isOptional: false, of, field };
}

/** The same, of a field that may be undefined. */
export function optional<Source>(
  name: string,
  type: Column<Source>["type"],
  field: keyof Source & string,
  of?: (source: Source) => Value,
): Column<Source> {
  return { ...column<Source>(name, type, field, of), isOptional: true };
}

/** A column that is worked out from a record and never read back. */
export function derived<Source>(
  name: string,
  type: Column<Source>["type"],
  of: (source: Source) => Value,
): Column<Source> {
  return { name, type, isOptional: false, of, field: undefined };
}

/** The columns of these names, in the order of the names. @throws Error for a name that there is none of. */
export function pick<Source>(columns: readonly Column<Source>[], ...names: readonly string[]): Column<Source>[] {
  return names.map((name) => {
    const found = columns.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no column is called ${name}`);
    return found;
  });
}

/** The columns of all other names. */
export function except<Source>(columns: readonly Column<Source>[], ...names: readonly string[]): Column<Source>[] {
  return columns.filter(({ name }) => !names.includes(name));
}

/** `a, b, c`: the columns' names, each made by `write` where it is given. */
export function listed(
  columns: readonly { readonly name: string }[],
  write: (name: string) => string = (name) => name,
): string {
  return columns.map(({ name }) => write(name)).join(", ");
}

/** What a statement with one place for each column is given, for SQLite. */
export function valuesOf<Source>(columns: readonly Column<Source>[], source: Source): (string | number | null)[] {
  return columns.map(({ of }) => of(source) ?? null);
}

/** Reads records out of rows: text as text, numbers as numbers, what is empty as undefined. */
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
