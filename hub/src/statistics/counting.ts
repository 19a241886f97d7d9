import { type EndingColumn, type Reader, WAIT_BOUNDS_MS, waitColumns } from "@nest/dispatch";

/** The one place that says what a task is counted as. Live counters, the hourly rows and the metrics all ask it. */

export const HOUR_MS = 3_600_000;
/** Tasks a statement: a relay waits at most a few milliseconds for one. */
const TASKS_A_PAGE = 100;

/** The backend of a task whose relay declared none, and of tasks from before it was kept. */
export const UNKNOWN_BACKEND = "unknown";

/** What an ending counts as. */
export function endingColumnOf(ending: {
  readonly outcome: string;
  readonly verdict?: string | undefined;
  readonly failureKind?: string | undefined;
}): EndingColumn {
  const { outcome, verdict, failureKind } = ending;
  if (outcome === "expired") return "expired";
  if (outcome === "failed") {
    if (failureKind === "environment") return "failed_environment";
    return failureKind === "task" ? "failed_task" : "failed_unspecified";
  }
  if (outcome !== "completed") return "returned";
  return verdict === "no_work_needed" || verdict === "blocked" ? verdict : "completed";
}

/** The column of the bucket that a waiting time falls into. */
export function waitColumnOf(waitedMs: number): string {
  const nth = WAIT_BOUNDS_MS.findIndex((bound) => waitedMs <= bound);
  return waitColumns[nth === -1 ? WAIT_BOUNDS_MS.length : nth] ?? "";
}

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

/** One thing to count: `n` more in a column of an hour, for a task's repository, contributor and backend. */
export interface Counted {
  readonly hour: number;
  readonly repo: string;
  readonly contributorId: string;
  readonly backend: string;
  readonly column: string;
  readonly n: number;
}

/** Everything to count in the hours from `first` to `last`, out of the tasks, page by page. */
export async function* countedInHours(reader: Reader, first: number, last: number): AsyncGenerator<Counted> {
  const [from, until] = [first * HOUR_MS, (last + 1) * HOUR_MS];
  for await (const row of pages(reader, ASSIGNED, from, until)) {
    const task = taskOf(row);
    yield { ...task, column: "assigned", n: 1 };
    if (row.waited_ms !== null) yield { ...task, column: waitColumnOf(Number(row.waited_ms)), n: 1 };
  }
  for await (const row of pages(reader, ENDED, from, until)) {
    const task = taskOf(row);
    const ending = { outcome: String(row.outcome), verdict: text(row.verdict), failureKind: text(row.failure_kind) };
    yield { ...task, column: endingColumnOf(ending), n: 1 };
    const verified = Number(row.verified);
    if (verified > 0) yield { ...task, column: "verified", n: verified };
  }
}

async function* pages(
  reader: Reader,
  sql: string,
  from: number,
  until: number,
): AsyncGenerator<Record<string, unknown>> {
  // Generations begin at 1.
  for (let [time, gen] = [from, 0]; ; ) {
    const rows = await reader.all(sql, time, gen, until, TASKS_A_PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < TASKS_A_PAGE) return;
    [time, gen] = [Number(last.time), Number(last.gen)];
  }
}

function taskOf(row: Record<string, unknown>): Pick<Counted, "hour" | "repo" | "contributorId" | "backend"> {
  return {
    hour: hourOf(Number(row.time)),
    repo: String(row.repo).toLowerCase(),
    contributorId: String(row.contributor_id),
    backend: text(row.backend)?.toLowerCase() ?? UNKNOWN_BACKEND,
  };
}

function text(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

const page = (time: string, columns: string) => `
  select gen, repo, contributor_id, backend, ${time} as time, ${columns} from tasks
  where (${time}, gen) > (?1, ?2) and ${time} < ?3 order by ${time}, gen limit ?4`;

const ASSIGNED = page("assigned_at", "waited_ms");
const ENDED = page(
  "ended_at",
  `outcome, verdict, failure_kind,
   (select count(*) from counted_pull_requests where counted_pull_requests.task_gen = tasks.gen) as verified`,
);
