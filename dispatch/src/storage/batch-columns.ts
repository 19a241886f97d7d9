import type { Changes } from "../leases/changes.ts";
import type { Column, Value } from "./columns.ts";
import { postgresText } from "./postgres-text.ts";
import { type Task, tables, taskEnding, taskGrant, taskKey, taskRenewal } from "./tables.ts";

/** What most batches are made of, by list: a batch has one array a column. */
export const batchLists = {
  contributors: tables.contributors,
  ended: [...taskKey, ...taskEnding],
  renewed: [...taskKey, ...taskRenewal],
  granted: taskGrant,
  items: tables.items,
  activity: tables.activity,
} as const;

/** The parameters of `nest_write` that are columns, in the order of {@link batchColumnsOf}: `<list>_<column>`. */
export const columnNames: readonly string[] = Object.entries(batchLists).flatMap(([list, columns]) =>
  columns.map(({ name }) => `${list}_${name}`),
);

/**
 * What most batches are made of: each column as one PostgreSQL array, which costs the database half of what rows of JSON do.
 * The rest is in `batch-rows.ts`: a task that was granted and ended in one batch is there and not here.
 */
export function batchColumnsOf(changes: Changes): string[] {
  const over = new Set<string>();
  for (const { lease } of changes.endings) over.add(lease.taskId);
  const moved: Task[] = [];
  const made: Task[] = [];
  for (const lease of changes.leases.values()) {
    if (over.has(lease.taskId)) continue;
    const grant = changes.granted.get(lease.taskId);
    if (grant === undefined) moved.push({ lease });
    else made.push({ lease, grant });
  }
  const ended = changes.endings
    .filter(({ lease }) => !changes.granted.has(lease.taskId))
    .map((ending) => ({ lease: ending.lease, ending }));
  return [
    ...arraysOf(batchLists.contributors, [...changes.contributors.values()]),
    ...arraysOf(batchLists.ended, ended),
    ...arraysOf(batchLists.renewed, moved),
    ...arraysOf(batchLists.granted, made),
    ...arraysOf(batchLists.items, [...changes.items.values()]),
    ...arraysOf(batchLists.activity, changes.activity),
  ];
}

function arraysOf<Source>(columns: readonly Column<Source>[], rows: readonly Source[]): string[] {
  return columns.map(({ of }) => postgresText(`{${rows.map((row) => element(of(row))).join(",")}}`));
}

/** Text is always quoted: unquoted, some of it would mean something else. */
function element(value: Value): Value {
  if (value === undefined) return "NULL";
  if (typeof value === "number") return value;
  return SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : `"${value}"`;
}

const SPECIAL = /["\\]/;
