import { z } from "zod";

/** The database engines that a hub can use. */
export const Engine = z.enum(["sqlite", "postgresql"]);
export type Engine = z.infer<typeof Engine>;

/** The kinds of values in columns, independent of the engine; `json` is text that is JSON. */
export const ColumnKind = z.enum(["integer", "real", "text", "bytes", "boolean", "json"]);
export type ColumnKind = z.infer<typeof ColumnKind>;

/**
 * Restricts the names in an archive, because they are put into statements and file names and anybody with the key can make an
 * archive.
 */
const Name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/);
const Names = z.array(Name);
const MOST_SQL_CHARACTERS = 2000;
const Sql = z.string().max(MOST_SQL_CHARACTERS);

const ColumnShape = z.object({
  name: Name,
  kind: ColumnKind,
  /** The type as its own engine spells it. */
  declared: Sql,
  nullable: z.boolean(),
  /** Whether the engine numbers rows that give no value. */
  counts: z.boolean(),
  /** The default as its own engine spells it. */
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
  /** The condition of a partial index. */
  where: Sql.optional(),
});
export type IndexShape = z.infer<typeof IndexShape>;

export const TableFacts = z.object({
  name: Name,
  columns: Names,
  rows: z.number().int().nonnegative(),
  /** Absent in archives of the first releases; these load only on the engine that they come from. */
  shape: TableShape.optional(),
});
export type TableFacts = z.infer<typeof TableFacts>;

/** `hub/database/schema.json` (docs/archive-format.md, Database). */
export const DatabaseFacts = z.looseObject({
  engine: Engine,
  /** The number of the last step of the hub's schema. */
  migrations: z.number(),
  tables: z.array(TableFacts),
  indexes: z.array(IndexShape).optional(),
  /** The statements that create the empty tables on the same engine. */
  statements: z.array(z.string()),
});
export type DatabaseFacts = z.infer<typeof DatabaseFacts>;

/** Quotes a name for a statement, on both engines. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedList(names: readonly string[]): string {
  return names.map(quoted).join(", ");
}
