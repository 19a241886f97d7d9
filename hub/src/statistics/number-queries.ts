import { countColumns, countLevels, type Reader } from "@nest/dispatch";
import type { SettledHours } from "./count-store.ts";

const DAY_HOURS = 24;
const MOST_NAMED = 50;

/** What is asked for: hours or days from `from` (a number of the grain) on, and of whom. */
export interface NumberQuery {
  readonly grain: "hour" | "day";
  readonly from: number;
  readonly repo?: string | undefined;
  readonly contributorId?: string | undefined;
  readonly backend?: string | undefined;
}

/** Counts by column, of one moment, backend, repository or contributor. */
export interface CountedRow {
  readonly at: number;
  readonly name: string;
  readonly counts: ReadonlyMap<string, number>;
}

/** The counts of every hour or day, by backend. */
export async function countsOverTime(reader: Reader, query: NumberQuery, settled: SettledHours): Promise<CountedRow[]> {
  const { repo, contributorId } = query;
  const level =
    repo === undefined
      ? contributorId === undefined
        ? countLevels.all
        : countLevels.contributor
      : contributorId === undefined
        ? countLevels.repository
        : countLevels.both;
  return read(reader, query, settled, { level, at: "at", name: "backend" });
}

/** The sums of the repositories with the most tasks. */
export function countsByRepository(reader: Reader, query: NumberQuery, settled: SettledHours): Promise<CountedRow[]> {
  const level = query.contributorId === undefined ? countLevels.repository : countLevels.both;
  return named(reader, query, settled, { level, at: "0", name: "repo" });
}

/** The sums of the contributors with the most tasks. */
export function countsByContributor(reader: Reader, query: NumberQuery, settled: SettledHours): Promise<CountedRow[]> {
  const level = query.repo === undefined ? countLevels.contributor : countLevels.both;
  return named(reader, query, settled, { level, at: "0", name: "contributor_id" });
}

interface Grouping {
  readonly level: number;
  /** The moment, or 0 where all moments are one. */
  readonly at: "at" | "0";
  readonly name: string;
}

async function named(
  reader: Reader,
  query: NumberQuery,
  settled: SettledHours,
  grouping: Grouping,
): Promise<CountedRow[]> {
  const sums = new Map<string, CountedRow & { readonly counts: Map<string, number> }>();
  for (const row of await read(reader, query, settled, grouping)) {
    const sum = sums.get(row.name) ?? { at: 0, name: row.name, counts: new Map<string, number>() };
    sums.set(row.name, sum);
    for (const [column, n] of row.counts) sum.counts.set(column, (sum.counts.get(column) ?? 0) + n);
  }
  const assigned = ({ counts }: CountedRow) => counts.get("assigned") ?? 0;
  return [...sums.values()].sort((a, b) => assigned(b) - assigned(a)).slice(0, MOST_NAMED);
}

/** Hours from their table; days from theirs, and the days that are not over from their hours. */
async function read(
  reader: Reader,
  query: NumberQuery,
  { sealed }: SettledHours,
  grouping: Grouping,
): Promise<CountedRow[]> {
  if (query.grain === "hour") return select(reader, "hourly", { ...query, until: Number.MAX_SAFE_INTEGER }, grouping);
  const firstOpenDay = Math.floor((sealed + 1) / DAY_HOURS);
  const days = await select(reader, "daily", { ...query, until: firstOpenDay }, grouping);
  const open = await select(
    reader,
    "hourly",
    { ...query, from: Math.max(query.from, firstOpenDay) * DAY_HOURS, until: Number.MAX_SAFE_INTEGER },
    grouping,
  );
  return [...days, ...open.map((row) => ({ ...row, at: Math.floor(row.at / DAY_HOURS) }))];
}

async function select(
  reader: Reader,
  table: "hourly" | "daily",
  query: NumberQuery & { readonly until: number },
  { level, at, name }: Grouping,
): Promise<CountedRow[]> {
  const values: (string | number)[] = [level, query.from, query.until];
  const where = ["level = ?1", "at >= ?2", "at < ?3"];
  for (const [column, value] of [
    ["repo", query.repo],
    ["contributor_id", query.contributorId],
    ["backend", query.backend],
  ] as const) {
    if (value === undefined) continue;
    values.push(value);
    where.push(`${column} = ?${values.length}`);
  }
  // Not by the key, which begins with the level: SQLite would read the rows of all contributors.
  if (query.contributorId !== undefined && query.repo === undefined) where[0] = "+level = ?1";
  // Rows of a level without a repository all have the same: said, so that they are found by the key.
  if (query.repo === undefined && (level === countLevels.all || level === countLevels.contributor))
    where.push("repo = ''");
  const sums = countColumns.map((column) => `sum(${column}) as ${column}`).join(", ");
  const rows = await reader.all(
    // Grouped by an expression: to read the rows in the order of a name, SQLite would read rows of every time.
    `select ${at} as at, ${name} || '' as name, ${sums} from task_counts_${table}
     where ${where.join(" and ")} group by 2${at === "at" ? ", 1" : ""}`,
    ...values,
  );
  return rows.map((row) => ({
    at: Number(row.at),
    name: String(row.name),
    counts: new Map(
      countColumns.flatMap((column) => (row[column] === null ? [] : [[column, Number(row[column])] as const])),
    ),
  }));
}

export interface QueueRow {
  readonly at: number;
  readonly samples: number;
  readonly ready: number;
  readonly ready_most: number;
  readonly withheld: number;
  readonly withheld_most: number;
}

/** The queue's length over time, in sums of samples; of one repository, or of all. Its hours are kept as long as any view is. */
export async function queueOverTime(reader: Reader, { grain, from, repo = "" }: NumberQuery): Promise<QueueRow[]> {
  const per = grain === "hour" ? 1 : DAY_HOURS;
  const rows = await reader.all(QUEUE, repo, from * per, per);
  return rows.map((row) => ({
    at: Number(row.at),
    samples: Number(row.samples),
    ready: Number(row.ready),
    ready_most: Number(row.ready_most),
    withheld: Number(row.withheld),
    withheld_most: Number(row.withheld_most),
  }));
}

const QUEUE = `
  select at / cast(?3 as bigint) as at, sum(samples) as samples, sum(ready) as ready, max(ready_most) as ready_most,
    sum(withheld) as withheld, max(withheld_most) as withheld_most
  from queue_counts_hourly where repo = ?1 and at >= ?2 group by 1`;
