import type { DatabaseSync } from "node:sqlite";
import type { operations } from "@nest/protocol";
import type { Changes } from "../leases/ledger.ts";

const HOUR_MS = 3_600_000;
/** A month and an hour: what the leaderboard looks back at most. */
const KEPT_HOURS = 31 * 24 + 1;

interface Done {
  assigned: number;
  completed: number;
  verified: number;
  failed: number;
}

/**
 * What each contributor did in each hour of the last month: read once at boot, counted on from there with every durable batch.
 * Keeps the leaderboard's windows and the charts from ever reading the table of tasks again.
 */
export class DoneByHour {
  readonly #hours = new Map<number, Map<string, Done>>();
  /** Who is to be credited for a verification, by task generation: the tasks of the hours kept. */
  readonly #taskOf: (gen: number) => { contributorId: string; endedAt: number } | undefined;

  constructor(sqlite: DatabaseSync, now: number) {
    const task = sqlite.prepare("select contributor_id, ended_at from tasks where gen = ?");
    this.#taskOf = (gen) => {
      const row = task.get(gen);
      return row === undefined || row.ended_at === null
        ? undefined
        : { contributorId: String(row.contributor_id), endedAt: Number(row.ended_at) };
    };
    this.#load(sqlite, now);
  }

  /** Counts what a durable batch changed. */
  count(changes: Changes): void {
    for (const taskId of changes.granted.keys()) {
      const lease = changes.leases.get(taskId);
      if (lease !== undefined) this.#at(lease.assignedAt, lease.contributorId).assigned += 1;
    }
    for (const { lease, endedAt, outcome } of changes.endings) {
      if (outcome === "completed") this.#at(endedAt, lease.contributorId).completed += 1;
      else if (outcome === "failed" || outcome === "expired") this.#at(endedAt, lease.contributorId).failed += 1;
    }
    for (const gen of changes.counted.values()) {
      const task = this.#taskOf(gen);
      if (task !== undefined) this.#at(task.endedAt, task.contributorId).verified += 1;
    }
  }

  /** What each contributor did since a time, to the hour. */
  since(from: number): Map<string, Done> {
    const sums = new Map<string, Done>();
    for (const [hour, contributors] of this.#hours) {
      if ((hour + 1) * HOUR_MS <= from) continue;
      for (const [id, done] of contributors) add(sums, id, done);
    }
    return sums;
  }

  /** What was done in each of the last `count` hours, oldest first. */
  hours(count: number, now: number): operations.Hour[] {
    const last = Math.floor(now / HOUR_MS);
    return Array.from({ length: count }, (_, nth) => {
      const hour = last - count + 1 + nth;
      const sum = none();
      for (const done of this.#hours.get(hour)?.values() ?? []) addTo(sum, done);
      return { from: new Date(hour * HOUR_MS).toISOString(), ...sum };
    });
  }

  #load(sqlite: DatabaseSync, now: number): void {
    const from = now - KEPT_HOURS * HOUR_MS;
    const add = (sql: string, field: keyof Done) => {
      for (const row of sqlite.prepare(sql).all(from))
        this.#at(Number(row.hour) * HOUR_MS, String(row.contributor_id))[field] += Number(row.n);
    };
    const counted = (condition: string, time: string) =>
      `select contributor_id, ${time} / ${HOUR_MS} as hour, count(*) as n from tasks where ${time} >= ? ${condition} group by 1, 2`;
    add(counted("", "assigned_at"), "assigned");
    add(counted("and outcome = 'completed'", "ended_at"), "completed");
    add(counted("and outcome in ('failed', 'expired')", "ended_at"), "failed");
    add(
      `select contributor_id, ended_at / ${HOUR_MS} as hour, count(*) as n from counted_pull_requests
       join tasks on tasks.gen = counted_pull_requests.task_gen where ended_at >= ? group by 1, 2`,
      "verified",
    );
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

function none(): Done {
  return { assigned: 0, completed: 0, verified: 0, failed: 0 };
}

function add(sums: Map<string, Done>, id: string, done: Done): void {
  const sum = sums.get(id) ?? none();
  sums.set(id, sum);
  addTo(sum, done);
}

function addTo(sum: Done, done: Done): void {
  sum.assigned += done.assigned;
  sum.completed += done.completed;
  sum.verified += done.verified;
  sum.failed += done.failed;
}
