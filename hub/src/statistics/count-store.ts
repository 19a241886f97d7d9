import { countColumns, countKey, countLevels, type Reader } from "@nest/dispatch";
import { type Counted, HOUR_MS } from "./counting.ts";

const DAY_HOURS = 24;
/** Few lengths, because each is a statement of its own that stays prepared. */
const ROWS_A_STATEMENT = [5, 1];
/** Rows a statement that reads or deletes. */
const SLICE = 200;

type Row = Awaited<ReturnType<Reader["all"]>>[number];

interface CountRow {
  readonly key: readonly (string | number)[];
  readonly counts: Map<string, number>;
}

type Grain = "hourly" | "daily";

/** Adds up what is counted in an hour or a day, in rows as they are stored. */
class Counts {
  readonly #grain: Grain;
  /** The number of the hour or of the day. */
  protected readonly at: number;
  readonly #rows = new Map<string, CountRow>();

  constructor({ grain, at }: { readonly grain: Grain; readonly at: number }) {
    this.#grain = grain;
    this.at = at;
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
      await database.all(upsertOf(this.#grain, slice.length), ...values);
    }
  }

  /** Adds to a column of a row of {@link countKey}. */
  protected addTo(key: readonly (string | number)[], column: string, n: number): void {
    const name = key.join("\n");
    let row = this.#rows.get(name);
    if (row === undefined) {
      row = { key, counts: new Map() };
      this.#rows.set(name, row);
    }
    row.counts.set(column, (row.counts.get(column) ?? 0) + n);
  }
}

/** Adds up what is counted in an hour: in a row for everything, for the repository, for the contributor, and for both together. */
export class HourCounts extends Counts {
  constructor(hour: number) {
    super({ grain: "hourly", at: hour });
  }

  add({ repo, contributorId, backend, column, n }: Counted): void {
    this.addTo([countLevels.all, "", this.at, "", backend], column, n);
    this.addTo([countLevels.repository, repo, this.at, "", backend], column, n);
    this.addTo([countLevels.contributor, "", this.at, contributorId, backend], column, n);
    this.addTo([countLevels.both, repo, this.at, contributorId, backend], column, n);
  }
}

/** Adds up the rows of a day's hours. */
class DayCounts extends Counts {
  constructor(day: number) {
    super({ grain: "daily", at: day });
  }

  add(row: Row): void {
    const key = [Number(row.level), String(row.repo), this.at, String(row.contributor_id), String(row.backend)];
    for (const name of countColumns) if (row[name] !== null) this.addTo(key, name, Number(row[name]));
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
  const pending = new Set<number>();
  // After an update nothing is counted yet, and all that was ever verified is looked through.
  for (let gen = 0; ; ) {
    const rows = await reader.all(PENDING, gen, SLICE);
    for (const { hour } of rows) if (hour !== null) pending.add(Number(hour));
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE) return { sealed: Number(row.value), pending };
    gen = Number(last.task_gen);
  }
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
    // A cross join is read in its order: by the hour's tasks, not by everything that is not counted yet.
    `select counted_pull_requests.url from tasks cross join counted_pull_requests
     where counted_pull_requests.task_gen = tasks.gen and in_counts is null and ended_at >= ?1 and ended_at < ?2`,
    hour * HOUR_MS,
    (hour + 1) * HOUR_MS,
  );
  return rows.map(({ url }) => String(url));
}

export async function markCounted(database: Reader, urls: readonly string[]): Promise<void> {
  for (const url of urls) await database.all("update counted_pull_requests set in_counts = 1 where url = ?1", url);
}

/** Adds a complete day's hours up, some rows at a time: whole counts, so writing them twice changes nothing. */
export async function writeDay(database: Reader, day: number): Promise<void> {
  const [from, until] = [day * DAY_HOURS, (day + 1) * DAY_HOURS];
  for (const level of Object.values(countLevels)) {
    const counts = new DayCounts(day);
    for await (const repo of repositories(database, "task_counts_hourly", level))
      for await (const row of hoursOfDay(database, { level, repo, from, until })) counts.add(row);
    await counts.write(database);
  }
  for await (const repo of repositories(database, "queue_counts_hourly"))
    await database.all(QUEUE_OF_DAY, day, from, until, repo);
}

/**
 * The repositories of a table, one by one: their names come before the time in its key, so that a day's rows are found by index only for
 * one of them.
 */
async function* repositories(database: Reader, table: string, level?: number): AsyncGenerator<string> {
  const only = level === undefined ? "" : `level = ${level} and `;
  // The rows about no repository have the empty name.
  let [row] = await database.all(`select min(repo) as repo from ${table} where ${only}repo >= ?1`, "");
  while (row !== undefined && row.repo !== null) {
    const repo = String(row.repo);
    yield repo;
    [row] = await database.all(`select min(repo) as repo from ${table} where ${only}repo > ?1`, repo);
  }
}

async function* hoursOfDay(
  database: Reader,
  {
    level,
    repo,
    from,
    until,
  }: { readonly level: number; readonly repo: string; readonly from: number; readonly until: number },
): AsyncGenerator<Row> {
  for (let after: readonly (string | number)[] = [from - 1, "", ""]; ; ) {
    const rows = await database.all(HOURS_OF_DAY, level, repo, from, until, ...after, SLICE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE) return;
    after = [Number(last.at), String(last.contributor_id), String(last.backend)];
  }
}

/** Deletes what is too old, a slice a step. */
export async function* pruneCounts(database: Reader, hours: number, days: number): AsyncGenerator<void> {
  for (const [grain, before] of [
    ["hourly", hours],
    ["daily", days],
  ] as const) {
    for (const level of Object.values(countLevels))
      for await (const repo of repositories(database, `task_counts_${grain}`, level))
        while ((await database.all(pruneTasks(grain), level, repo, before)).length > 0) yield;
    for await (const repo of repositories(database, `queue_counts_${grain}`))
      while ((await database.all(pruneQueue(grain), repo, before)).length > 0) yield;
  }
}

/** Verified pull requests that are not counted yet, with the hour in which their task ended: those of tasks from a generation (?1) on. */
const PENDING = `
  select task_gen, (select ended_at / ${HOUR_MS} from tasks where gen = task_gen) as hour
  from counted_pull_requests where in_counts is null and task_gen > ?1 order by task_gen limit ?2`;

const replaced = (columns: readonly string[]) => columns.map((name) => `${name} = excluded.${name}`).join(", ");
const conflict = `on conflict (${countKey.join(", ")}) do update set ${replaced(countColumns)}`;
const columns = [...countKey, ...countColumns];

function upsertOf(grain: Grain, rows: number): string {
  const row = (nth: number) => `(${columns.map((_, at) => `?${nth * columns.length + at + 1}`).join(", ")})`;
  return `insert into task_counts_${grain} (${columns.join(", ")})
    values ${Array.from({ length: rows }, (_, nth) => row(nth)).join(", ")} ${conflict}`;
}

const HOURS_OF_DAY = `
  select ${columns.join(", ")} from task_counts_hourly
  where level = ?1 and repo = ?2 and at >= ?3 and at < ?4 and (at, contributor_id, backend) > (?5, ?6, ?7)
  order by at, contributor_id, backend limit ?8`;

const queueSums = ["samples", "ready", "ready_most", "withheld", "withheld_most", "sampled_at"];
const QUEUE_OF_DAY = `
  insert into queue_counts_daily (repo, at, ${queueSums.join(", ")})
  select repo, cast(?1 as bigint), sum(samples), sum(ready), max(ready_most), sum(withheld), max(withheld_most), max(sampled_at)
  from queue_counts_hourly where repo = ?4 and at >= ?2 and at < ?3 group by repo
  on conflict (repo, at) do update set ${replaced(queueSums)}`;

const pruneTasks = (grain: string) => {
  const key = countKey.join(", ");
  return `delete from task_counts_${grain} where (${key}) in
    (select ${key} from task_counts_${grain} where level = ?1 and repo = ?2 and at < ?3 limit ${SLICE}) returning at`;
};
const pruneQueue = (grain: string) =>
  `delete from queue_counts_${grain} where (repo, at) in
    (select repo, at from queue_counts_${grain} where repo = ?1 and at < ?2 limit ${SLICE}) returning at`;
