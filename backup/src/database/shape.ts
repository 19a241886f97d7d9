import { z } from "zod";

/** The kinds of engine that a hub's database may be of. */
export const Engine = z.enum(["sqlite", "postgresql"]);
export type Engine = z.infer<typeof Engine>;

/** What a column holds, for every engine; `json` is text that is JSON. */
export const ColumnKind = z.enum(["integer", "real", "text", "bytes", "boolean", "json"]);
export type ColumnKind = z.infer<typeof ColumnKind>;

/** An archive is sealed by whoever has the key; its names go into statements and file names all the same. */
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/);
const Names = z.array(Name);
const MOST_SQL_CHARACTERS = 2000;
const Sql = z.string().max(MOST_SQL_CHARACTERS);

const ColumnShape = z.object({
  name: Name,
  kind: ColumnKind,
  /** The type in the words of the engine that it comes from. */
  declared: Sql,
  nullable: z.boolean(),
  /** Gives itself the next number where none is given. */
  counts: z.boolean(),
  /** The default in the words of the engine that it comes from. */
  default: Sql.optional(),
});
export type ColumnShape = z.infer<typeof ColumnShape>;

const ForeignKey = z.object({ columns: Names, table: Name, references: Names });

const TableShape = z.object({
  columns: z.array(ColumnShape),
  primary_key: Names,
  unique: z.array(Names),
  foreign_keys: z.array(ForeignKey),
});
export type TableShape = z.infer<typeof TableShape>;

const IndexShape = z.object({
  name: Name,
  table: Name,
  columns: Names.min(1),
  unique: z.boolean(),
  /** Which rows it is over, where that is not all of them. */
  where: Sql.optional(),
});
export type IndexShape = z.infer<typeof IndexShape>;

export const TableFacts = z.object({
  name: Name,
  columns: Names,
  rows: z.number().int().nonnegative(),
  /** Absent in archives of the first releases, which load only on the engine that they come from. */
  shape: TableShape.optional(),
});
export type TableFacts = z.infer<typeof TableFacts>;

/** `hub/database/schema.json` (docs/archive-format.md, Database). */
export const DatabaseFacts = z.looseObject({
  engine: Engine,
  /** The last numbered step of the hub's schema. */
  migrations: z.number(),
  tables: z.array(TableFacts),
  indexes: z.array(IndexShape).optional(),
  /** Make the empty tables again, on the same engine. */
  statements: z.array(z.string()),
});
export type DatabaseFacts = z.infer<typeof DatabaseFacts>;

/** A name as a statement takes it, on every engine. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names with commas between them. */
export function quotedList(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}
