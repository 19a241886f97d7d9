import type { Engine } from "./schema.ts";

/**
 * The upper bounds of the buckets into which waiting times are counted (ms); a last bucket has what is longer. Buckets of several
 * rows add up, which percentiles do not.
 */
export const WAIT_BOUNDS_MS: readonly number[] = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 20, 30, 60, 120, 360].map((minutes) => minutes * 60_000),
];

/** The columns of the buckets, one more than there are bounds. */
export const waitColumns: readonly string[] = [...WAIT_BOUNDS_MS, undefined].map((_, nth) => `wait_${nth}`);

/** How a task ended, in one word: every ended task is counted in exactly one of these columns. */
export const endingColumns = [
  "completed",
  "no_work_needed",
  "blocked",
  "failed_environment",
  "failed_task",
  "failed_unspecified",
  "expired",
  "returned",
] as const;
export type EndingColumn = (typeof endingColumns)[number];

/** What is counted of tasks, by hour and by day. An empty count is null, which takes no room. */
export const countColumns: readonly string[] = ["assigned", "verified", ...endingColumns, ...waitColumns];

/** What a row counts: everything, a repository, a contributor, or a contributor's tasks in a repository; always by backend. */
export const countLevels = { all: 0, repository: 1, contributor: 2, both: 3 } as const;

/** The columns of the key of a count's row, in an order that keeps a repository's rows of a time together. */
export const countKey = ["level", "repo", "at", "contributor_id", "backend"] as const;

/**
 * The tables of numbers over time, and the indexes by which they are counted from the tasks. `at` is the number of the hour or of the
 * day since 1970, UTC. Without a value in `in_counts`, a verified pull request is not in the counts of its task's hour yet.
 */
export function countsSchema(engine: Engine): string {
  const whole = engine === "sqlite" ? "integer" : "bigint";
  const own = engine === "sqlite" ? " without rowid" : "";
  const tasks = (grain: string) => `
    create table task_counts_${grain} (
      level ${whole} not null, repo text not null, at ${whole} not null,
      contributor_id text not null, backend text not null,
      ${countColumns.map((name) => `${name} ${whole}`).join(", ")},
      primary key (${countKey.join(", ")})
    )${own};
    create index task_counts_${grain}_contributor on task_counts_${grain} (contributor_id, level, repo, at);
    create table queue_counts_${grain} (
      repo text not null, at ${whole} not null, samples ${whole} not null,
      ready ${whole} not null, ready_most ${whole} not null, withheld ${whole} not null, withheld_most ${whole} not null,
      sampled_at ${whole} not null,
      primary key (repo, at)
    )${own};`;
  return `
    create index tasks_by_assignment on tasks (assigned_at, gen);
    create index tasks_by_ending on tasks (ended_at, gen) where ended_at is not null;
    alter table counted_pull_requests add column in_counts ${whole};
    create index counted_of_task on counted_pull_requests (task_gen);
    create index counted_not_in_counts on counted_pull_requests (task_gen) where in_counts is null;
    ${tasks("hourly")}
    ${tasks("daily")}
  `;
}
