import { NestError } from "@nest/kit";
import { countsSchema } from "./count-tables.ts";
import { addedColumns, type Engine, firstSchema } from "./schema.ts";

/** One numbered step of the schema. A released step is never edited. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * The steps to run on a database whose newest step is `last`.
 *
 * @throws NestError `database_newer` when a newer release wrote the database, `database_older` when a build before the first
 * release did.
 */
export function newestOf(steps: readonly Migration[], last: number): readonly Migration[] {
  const newest = steps.at(-1)?.id ?? 0;
  const first = steps[0]?.id ?? 0;
  if (last > 0 && last < first) {
    throw new NestError(
      "database_older",
      `the database was written before the first release (step ${last} of ${first})`,
      {
        hint: "start with an empty data directory or database; no release can read this one",
      },
    );
  }
  if (last > newest) {
    throw new NestError(
      "database_newer",
      `the database was written by a newer release (step ${last}, this one knows ${newest})`,
      { hint: "run the newer release, or restore a backup made by this one" },
    );
  }
  return steps.filter(({ id }) => id > last);
}

/**
 * The steps of the schema. To add a column, mark it with `since(8, …)` in `tables.ts`, add the step
 * `{ id: 8, name: …, sql: addedColumns(8, engine) }` here, and a database of this release to `test/fixtures/`.
 *
 * The first step makes the tables of the first release. Its number is 7 (and 3 for the replicas' tables), because databases of earlier
 * builds are at these numbers and have the same tables.
 */
export function migrationsFor(engine: Engine): readonly Migration[] {
  return [
    { id: 7, name: "dispatch", sql: firstSchema(engine) },
    { id: 8, name: "found by task and by issue", sql: FOUND_BY_TASK_AND_ISSUE },
    { id: 9, name: "numbers over time", sql: `${addedColumns(9, engine)}\n${countsSchema(engine)}` },
    { id: 10, name: "tier, model and relay version of a task", sql: addedColumns(10, engine) },
  ];
}

/** What happened to one task, and every task that an issue ever had, whatever the length of the history. */
const FOUND_BY_TASK_AND_ISSUE = `
  create index activity_of_task on activity (task_gen) where task_gen is not null;
  create index tasks_of_issue on tasks (item_key, gen);
`;
