import { countColumns, countKey, countLevels, type Reader } from "@nest/dispatch";
import { type Counted, HOUR_MS } from "./counting.ts";

const DAY_HOURS = 24;
/** Few lengths, because each is a statement of its own that stays prepared. */
const ROWS_A_STATEMENT = [50, 10, 1];
/** Rows a statement that deletes. */
const SLICE = 500;

interface CountRow {
  readonly key: readonly (string | number)[];
  readonly counts: Map<string, number>;
}

/** Adds up what is counted, in a row for everything, for the repository, for the contributor, and for both together. */
export class HourCounts {
  readonly #hour: number;
  readonly #rows = new Map<string, CountRow>();

  constructor(hour: number) {
    this.#hour = hour;
  }

  add({ repo, contributorId, backend, column, n }: Counted): void {
    this.#at([countLevels.all, "", this.#hour, "", backend], column, n);
    this.#at([countLevels.repository, repo, this.#hour, "", backend], column, n);
    this.#at([countLevels.contributor, "", this.#hour, contributorId, backend], column, n);
    this.#at([countLevels.both, repo, this.#hour, contributorId, backend], column, n);
  }

  /** Writes the rows. They hold whole counts, so writing them twice changes nothing. */
  async write(database: Reader): Promise<void> {
    const rows = [...this.#rows.values()];
    for (let at = 0; at < rows.length; ) {
      const left = rows.length - at;
      const slice = rows.slice(at, at + (ROWS_A_STATEMENT.find((length) => length <= left) ?? 1));
      at += slice.length;
      const values = slice.flatMap(({ key, counts }) => [
        ...key,
        ...countColumns.map((name) => counts.get(name) ?? null),
      ]);
      await database.all(upsertOf(slice.length), ...values);
    }
  }

  #at(key: readonly (string | number)[], column: string, n: number): void {
    const name = key.join("\n");
    let row = this.#rows.get(name);
    if (row === undefined) {
      row = { key, counts: new Map() };
      this.#rows.set(name, row);
    }
    row.counts.set(column, (row.counts.get(column) ?? 0) + n);
  }
}

/** Which hours are complete in the table: those up to `sealed`, without those in `pending`. */
export interface SettledHours {
  readonly sealed: number;
  /** Hours with a pull request that was verified later and is not counted yet. */
  readonly pending: ReadonlySet<number>;
}

/** @returns undefined for the hours when nothing was counted yet. */
export async function settledHours(reader: Reader): Promise<SettledHours | undefined> {
  const [row] = await reader.all("select value from counters where name = 'counted_hours'");
  if (row === undefined) return undefined;
  const hours = await reader.all(PENDING_HOURS);
  return { sealed: Number(row.value), pending: new Set(hours.map(({ hour }) => Number(hour))) };
}

/** Says that every hour up to this one is complete in the table. */
export async function sealHours(database: Reader, hour: number): Promise<void> {
  await database.all(
    `insert into counters (name, value) values ('counted_hours', ?1)
     on conflict (name) do update set value = excluded.value where counters.value < excluded.value`,
    hour,
  );
}

/** The pull requests of an hour's tasks that are not counted yet, to be marked once they are. */
export async function uncountedPullRequests(reader: Reader, hour: number): Promise<string[]> {
  const rows = await reader.all(
    `select counted_pull_requests.url from counted_pull_requests join tasks on tasks.gen = counted_pull_requests.task_gen
     where in_counts is null and ended_at >= ?1 and ended_at < ?2`,
    hour * HOUR_MS,
    (hour + 1) * HOUR_MS,
  );
  return rows.map(({ url }) => String(url));
}

export async function markCounted(database: Reader, urls: readonly string[]): Promise<void> {
  for (const url of urls) await database.all("update counted_pull_requests set in_counts = 1 where url = ?1", url);
}

/** Adds a complete day's hours up, level by level: a relay waits for one at a time. */
export async function writeDay(database: Reader, day: number): Promise<void> {
  for (const level of Object.values(countLevels))
    await database.all(TASKS_OF_DAY, day, level, day * DAY_HOURS, (day + 1) * DAY_HOURS);
  await database.all(QUEUE_OF_DAY, day, day * DAY_HOURS, (day + 1) * DAY_HOURS);
}

/** Deletes one slice of what is too old; true when there may be more. */
export async function pruneCounts(database: Reader, hours: number, days: number): Promise<boolean> {
  let deleted = 0;
  for (const [grain, before] of [
    ["hourly", hours],
    ["daily", days],
  ] as const) {
    for (const level of Object.values(countLevels))
      deleted += (await database.all(pruneTasks(grain), level, before)).length;
    deleted += (await database.all(pruneQueue(grain), before)).length;
  }
  return deleted > 0;
}

const PENDING_HOURS = `
  select distinct tasks.ended_at / ${HOUR_MS} as hour
  from counted_pull_requests join tasks on tasks.gen = counted_pull_requests.task_gen
  where in_counts is null and ended_at is not null`;

const replaced = (columns: readonly string[]) => columns.map((name) => `${name} = excluded.${name}`).join(", ");
const conflict = `on conflict (${countKey.join(", ")}) do update set ${replaced(countColumns)}`;
const columns = [...countKey, ...countColumns];

function upsertOf(rows: number): string {
  const row = (nth: number) => `(${columns.map((_, at) => `?${nth * columns.length + at + 1}`).join(", ")})`;
  return `insert into task_counts_hourly (${columns.join(", ")})
    values ${Array.from({ length: rows }, (_, nth) => row(nth)).join(", ")} ${conflict}`;
}

const TASKS_OF_DAY = `
  insert into task_counts_daily (${columns.join(", ")})
  select level, repo, cast(?1 as bigint), contributor_id, backend, ${countColumns.map((name) => `sum(${name})`).join(", ")}
  from task_counts_hourly where level = ?2 and at >= ?3 and at < ?4
  group by level, repo, contributor_id, backend ${conflict}`;

const queueSums = ["samples", "ready", "ready_most", "withheld", "withheld_most", "sampled_at"];
const QUEUE_OF_DAY = `
  insert into queue_counts_daily (repo, at, ${queueSums.join(", ")})
  select repo, cast(?1 as bigint), sum(samples), sum(ready), max(ready_most), sum(withheld), max(withheld_most), max(sampled_at)
  from queue_counts_hourly where at >= ?2 and at < ?3 group by repo
  on conflict (repo, at) do update set ${replaced(queueSums)}`;

const pruneTasks = (grain: string) => {
  const key = countKey.join(", ");
  return `delete from task_counts_${grain} where (${key}) in
    (select ${key} from task_counts_${grain} where level = ?1 and at < ?2 limit ${SLICE}) returning at`;
};
const pruneQueue = (grain: string) =>
  `delete from queue_counts_${grain} where (repo, at) in
    (select repo, at from queue_counts_${grain} where at < ?1 limit ${SLICE}) returning at`;
