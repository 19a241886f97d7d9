import { type Changes, countLevels, type EndingColumn, type Reader } from "@nest/dispatch";
import type { operations } from "@nest/protocol";
import { settledHours } from "../statistics/count-store.ts";
import { countedInHours, endingColumnOf, HOUR_MS, hourOf } from "../statistics/counting.ts";

/** Every page counts a day as this many hours. */
export const DAY_HOURS = 24;
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
  /** The sum of each hour: thousands of contributors are not added up again for every page that is open. */
  readonly #sums = new Map<number, Done>();

  /** Replaces the counts by those in the database: hours that are over from the table, the rest from the tasks. */
  async load(reader: Reader, now: number): Promise<void> {
    const [first, last] = [hourOf(now) - KEPT_HOURS, hourOf(now)];
    this.#hours.clear();
    this.#sums.clear();
    const settled = await settledHours(reader);
    const isSettled = (hour: number) => settled !== undefined && hour <= settled.sealed && !settled.pending.has(hour);
    for (const row of await reader.all(COUNTED, first)) {
      if (!isSettled(Number(row.at))) continue;
      for (const [column, field] of Object.entries(fields))
        this.#add(Number(row.at) * HOUR_MS, String(row.contributor_id), field, Number(row[column] ?? 0));
    }
    for (let hour = first; hour <= last; hour += 1) {
      if (isSettled(hour)) continue;
      // All hours to the next settled one at once: on a hub that has counted nothing yet, that is the whole month.
      const begin = hour;
      while (hour < last && !isSettled(hour + 1)) hour += 1;
      for await (const { hour: of, contributorId, column, n } of countedInHours(reader, begin, hour)) {
        const field = fields[column as keyof typeof fields];
        if (field !== undefined) this.#add(of * HOUR_MS, contributorId, field, n);
      }
    }
  }

  /** Adds the changes of a durable batch. */
  count(changes: Changes): void {
    for (const taskId of changes.granted.keys()) {
      const lease = changes.leases.get(taskId);
      if (lease !== undefined) this.#add(lease.assignedAt, lease.contributorId, "assigned", 1);
    }
    for (const { lease, endedAt, outcome, verdict } of changes.endings) {
      const field = fields[endingColumnOf({ outcome, verdict })];
      if (field !== undefined) this.#add(endedAt, lease.contributorId, field, 1);
    }
    for (const { contributorId, completedAt } of changes.counted.values())
      this.#add(completedAt, contributorId, "verified", 1);
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
    const last = hourOf(now);
    for (let hour = last - count + 1; hour <= last; hour += 1) addTo(sum, this.#sums.get(hour) ?? none());
    return sum;
  }

  /** The counts of each of the last `count` hours, oldest first. */
  hours(count: number, now: number): operations.Hour[] {
    const last = hourOf(now);
    return Array.from({ length: count }, (_, nth) => {
      const hour = last - count + 1 + nth;
      return { from: new Date(hour * HOUR_MS).toISOString(), ...(this.#sums.get(hour) ?? none()) };
    });
  }

  #add(time: number, contributorId: string, field: keyof Done, count: number): void {
    const hour = hourOf(time);
    let contributors = this.#hours.get(hour);
    let sum = this.#sums.get(hour);
    if (contributors === undefined || sum === undefined) {
      contributors = new Map();
      sum = none();
      this.#hours.set(hour, contributors);
      this.#sums.set(hour, sum);
      for (const old of this.#hours.keys()) if (old < hour - KEPT_HOURS) this.#forget(old);
    }
    const done = contributors.get(contributorId) ?? none();
    contributors.set(contributorId, done);
    done[field] += count;
    sum[field] += count;
  }

  #forget(hour: number): void {
    this.#hours.delete(hour);
    this.#sums.delete(hour);
  }
}

/** What the columns of the counted hours are called here: an ending that is neither success nor failure is left out. */
const fields: Readonly<Partial<Record<EndingColumn | "assigned" | "verified", keyof Done>>> = {
  assigned: "assigned",
  verified: "verified",
  completed: "completed",
  no_work_needed: "no_work_needed",
  blocked: "blocked",
  failed_environment: "failed",
  failed_task: "failed",
  failed_unspecified: "failed",
  expired: "failed",
};

const COUNTED = `
  select at, contributor_id, ${Object.keys(fields)
    .map((name) => `sum(${name}) as ${name}`)
    .join(
      ", ",
    )} from task_counts_hourly where level = ${countLevels.contributor} and at >= ?1 group by at, contributor_id`;

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
