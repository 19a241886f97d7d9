import type { RunOutcome } from "@nest/protocol";

/** What the nest's agents did about an issue last. Times are milliseconds since 1970. */
export interface IssueRecord {
  readonly agent: string;
  readonly outcome: RunOutcome;
  readonly endedAt: number;
  /** Failed runs in a row. */
  readonly failures: number;
}

/** The records by issue, `owner/name#number`. */
export type IssueHistory = Readonly<Record<string, IssueRecord>>;

/** The record after a run that ended so. A run that a person or the end of the program stopped counts as no try. Pure. */
export function recordAfter(
  before: IssueRecord | undefined,
  run: { readonly agent: string; readonly outcome: RunOutcome; readonly endedAt: number },
): IssueRecord | undefined {
  if (run.outcome === "stopped" || run.outcome === "not_started") return before;
  return { ...run, failures: isFailure(run.outcome) ? (before?.failures ?? 0) + 1 : 0 };
}

/** Whether a run with this outcome was a try that failed. */
export function isFailure(outcome: RunOutcome): boolean {
  switch (outcome) {
    case "failed":
    case "overdue":
    case "looped":
    case "stalled":
      return true;
    case "shipped":
    case "finished":
    case "no_work_needed":
    case "blocked":
    case "not_started":
    case "stopped":
      return false;
  }
}

const FIRST_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** When a failed issue is tried again: after 10 minutes, twice as long after each further failure, at most a day. Pure. */
export function retryAt({ endedAt, failures }: IssueRecord): number {
  return endedAt + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
}

const MOST_RECORDS = 5000;

/** The history without what is oldest, where there is too much of it. */
export function trimmed(history: IssueHistory): IssueHistory {
  const entries = Object.entries(history);
  if (entries.length <= MOST_RECORDS) return history;
  return Object.fromEntries(entries.sort(([, a], [, b]) => b.endedAt - a.endedAt).slice(0, MOST_RECORDS));
}
