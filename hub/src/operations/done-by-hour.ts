import type { Changes, Reader } from "@nest/dispatch";
import type { operations } from "@nest/protocol";

/** Every page counts a day as this many hours. */
export const DAY_HOURS = 24;
const HOUR_MS = 3_600_000;
/** A month and an hour: the longest window of the leaderboard. */
const KEPT_HOURS = 31 * 24 + 1;

/** The tasks that ended in a period. Each is counted once: as completed, no work needed, blocked or failed. */
interface Done {
  assigned: number;
  /** The agent did the work that the issue asked for. */
  completed: number;
  /** The agent found nothing to do. */
  no_work_needed: number;
  /** The agent found that people have to act first. */
  blocked: number;
  /** Completed with a pull request that the code host confirmed. */
  verified: number;
  /** Failed or expired. */
  failed: number;
}

/**
 * Counts each contributor's tasks per hour of the last month. The counts are read once at start and updated with every
 * durable batch, so that the leaderboard and the charts never read the table of tasks again.
 */
export class DoneByHour {
  readonly #hours = new Map<number, Map<string, Done>>();

  /** Replaces the counts by the counts in the database. */
  async load(reader: Reader, now: number): Promise<void> {
    const from = now - KEPT_HOURS * HOUR_MS;
    this.#hours.clear();
    for (const [field, sql] of Object.entries(COUNTS)) {
      for (const row of await reader.all(sql, from))
        this.#at(Number(row.hour) * HOUR_MS, String(row.contributor_id))[field as keyof Done] += Number(row.n);
    }
  }

  /** Adds the changes of a durable batch. */
  count(changes: Changes): void {
    for (const taskId of changes.granted.keys()) {
      const lease = changes.leases.get(taskId);
      if (lease !== undefined) this.#at(lease.assignedAt, lease.contributorId).assigned += 1;
    }
    for (const { lease, endedAt, outcome, verdict } of changes.endings) {
      const field = fieldOf(outcome, verdict);
      if (field !== undefined) this.#at(endedAt, lease.contributorId)[field] += 1;
    }
    for (const { contributorId, completedAt } of changes.counted.values())
      this.#at(completedAt, contributorId).verified += 1;
  }

  /** Each contributor's counts since a time, rounded to the hour. */
  since(from: number): Map<string, Done> {
    const sums = new Map<string, Done>();
    for (const [hour, contributors] of this.#hours) {
      if ((hour + 1) * HOUR_MS <= from) continue;
      for (const [id, done] of contributors) add(sums, id, done);
    }
    return sums;
  }

  /** The sum over the last `count` hours, including the current one. Every page shows this sum. */
  sum(count: number, now: number): Done {
    const sum = none();
    for (const { from: _, ...done } of this.hours(count, now)) addTo(sum, done);
    return sum;
  }

  /** The counts of each of the last `count` hours, oldest first. */
  hours(count: number, now: number): operations.Hour[] {
    const last = Math.floor(now / HOUR_MS);
    return Array.from({ length: count }, (_, nth) => {
      const hour = last - count + 1 + nth;
      const sum = none();
      for (const done of this.#hours.get(hour)?.values() ?? []) addTo(sum, done);
      return { from: new Date(hour * HOUR_MS).toISOString(), ...sum };
    });
  }

  #at(time: number, contributorId: string): Done {
    const hour = Math.floor(time / HOUR_MS);
    let contributors = this.#hours.get(hour);
    if (contributors === undefined) {
      contributors = new Map();
      this.#hours.set(hour, contributors);
      for (const old of this.#hours.keys()) if (old < hour - KEPT_HOURS) this.#hours.delete(old);
    }
    let done = contributors.get(contributorId);
    if (done === undefined) {
      done = none();
      contributors.set(contributorId, done);
    }
    return done;
  }
}

/** The count that an ending adds to; undefined for an ending that is neither success nor failure. */
function fieldOf(outcome: string, verdict: string | undefined): keyof Done | undefined {
  if (outcome === "failed" || outcome === "expired") return "failed";
  if (outcome !== "completed") return undefined;
  return verdict === "no_work_needed" || verdict === "blocked" ? verdict : "completed";
}

const counted = (condition: string, time: string) =>
  `select contributor_id, ${time} / ${HOUR_MS} as hour, count(*) as n from tasks where ${time} >= ?1 ${condition} group by 1, 2`;

const COUNTS: Readonly<Record<keyof Done, string>> = {
  assigned: counted("", "assigned_at"),
  completed: counted(
    "and outcome = 'completed' and coalesce(verdict, '') not in ('no_work_needed', 'blocked')",
    "ended_at",
  ),
  no_work_needed: counted("and outcome = 'completed' and verdict = 'no_work_needed'", "ended_at"),
  blocked: counted("and outcome = 'completed' and verdict = 'blocked'", "ended_at"),
  failed: counted("and outcome in ('failed', 'expired')", "ended_at"),
  verified: `
    select contributor_id, ended_at / ${HOUR_MS} as hour, count(*) as n from counted_pull_requests
    join tasks on tasks.gen = counted_pull_requests.task_gen where ended_at >= ?1 group by 1, 2`,
};

function none(): Done {
  return { assigned: 0, completed: 0, no_work_needed: 0, blocked: 0, verified: 0, failed: 0 };
}

function add(sums: Map<string, Done>, id: string, done: Done): void {
  const sum = sums.get(id) ?? none();
  sums.set(id, sum);
  addTo(sum, done);
}

function addTo(sum: Done, done: Done): void {
  for (const field of Object.keys(sum) as (keyof Done)[]) sum[field] += done[field];
}
