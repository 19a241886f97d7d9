import type { Changes } from "../leases/changes.ts";
import type { Column } from "./columns.ts";
import { tables } from "./tables.ts";

type JsonRow = Readonly<Record<string, unknown>>;

/**
 * The lists that few batches contain, as JSON rows with the columns of their tables; undefined when all are empty. An
 * undefined value becomes null.
 */
export function rareRowsOf(changes: Changes): Readonly<Record<string, readonly JsonRow[]>> | undefined {
  const { granted } = changes;
  const rows = {
    // Tasks granted and ended in the same batch.
    passing: changes.endings
      .filter(({ lease }) => granted.has(lease.taskId))
      .map((ending) =>
        rowOf(tables.tasks, {
          lease: { ...ending.lease, connection: undefined },
          grant: granted.get(ending.lease.taskId),
          ending,
        }),
      ),
    judged: changes.pullRequests.map(({ gen, state, because }) => ({ gen, pr_state: state, reason: because })),
    counted: [...changes.counted].map(([url, { gen }]) => ({ url, task_gen: gen })),
    audit: changes.audit.map((line) => rowOf(tables.audit, line)),
    settings: [...changes.settings].map(([name, value]) => ({
      name,
      value: value === undefined ? undefined : JSON.stringify(value),
    })),
  };
  return Object.values(rows).some(({ length }) => length > 0) ? rows : undefined;
}

function rowOf<Source>(columns: readonly Column<Source>[], source: Source): JsonRow {
  return Object.fromEntries(columns.map(({ name, of }) => [name, of(source)]));
}
