import { type Contributor, type Ledger, type Pause, pauseOf, type Reader, rolesOf } from "@nest/dispatch";
import type { contributors } from "@nest/protocol";
import { pageOf } from "../operations/page-of.ts";
import { inOrderOf } from "./list-order.ts";

export interface ContributorReadModelDeps {
  readonly ledger: Ledger;
  readonly reader: Reader;
  /** Contributors with a live connection. */
  readonly active: () => ReadonlySet<string>;
  /** The number of tasks assigned to each contributor since a time, rounded to the hour. */
  readonly assignedSince: (from: number) => ReadonlyMap<string, { readonly assigned: number }>;
  readonly now: () => number;
}

/** Each task names the contributor's previous one, so a page is found by following keys and needs no index. */
const HISTORY = `
  with recursive walk (gen, previous_gen, place) as (
    select gen, previous_gen, 1 from tasks where gen = ?1 and contributor_id = ?2
    union all
    select tasks.gen, tasks.previous_gen, place + 1 from walk join tasks on tasks.gen = walk.previous_gen where place < ?3
  )
  select tasks.* from walk join tasks on tasks.gen = walk.gen order by place`;
const DAY_MS = 24 * 3_600_000;

export interface ContributorQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly q?: string | undefined;
  readonly tier?: string | undefined;
  readonly sort?: contributors.ContributorSort;
  readonly direction?: "up" | "down";
}

/** Contributors as pages show them. It contains no token and no token's digest. */
export class ContributorReadModel {
  readonly #deps: ContributorReadModelDeps;

  constructor(deps: ContributorReadModelDeps) {
    this.#deps = deps;
  }

  /** One page of contributors; `q` matches part of a login. */
  list(query: ContributorQuery): {
    contributors: contributors.ContributorRow[];
    matching: number;
    next_cursor?: string;
  } {
    const wanted = query.q?.toLowerCase() ?? "";
    const all = [...this.#deps.ledger.contributors()]
      .filter(
        ({ login, tier }) => login.toLowerCase().includes(wanted) && (query.tier === undefined || tier === query.tier),
      )
      .sort(inOrderOf(query.sort ?? "registered", query.direction ?? "up"));
    const { rows, next } = pageOf(all, query);
    const active = this.#deps.active();
    const given = this.#givenToday();
    return { contributors: rows.map((one) => this.row(one, active, given)), matching: all.length, ...next };
  }

  row(one: Contributor, active = this.#deps.active(), given = this.#givenToday()): contributors.ContributorRow {
    const { ledger } = this.#deps;
    const current = ledger.leasesOfContributor(one.id)[0];
    const { assigned, grants } = rolesOf(ledger, one.id);
    const pause = pauseOf(ledger, { kind: "contributor", contributorId: one.id }, this.#deps.now());
    return {
      contributor_id: one.id,
      github_username: one.login,
      trust_tier: one.tier,
      registered_at: iso(one.registeredAt),
      ...(one.lastActiveAt === undefined ? {} : { last_active: iso(one.lastActiveAt) }),
      total_tasks_completed: one.completed,
      total_tasks_completed_with_pr: one.verified,
      total_tasks_failed: one.failed,
      active: active.has(one.id),
      assigned_day: given.get(one.id)?.assigned ?? 0,
      ...(current === undefined ? {} : { current_task: current.taskId }),
      ...(assigned === undefined ? {} : { assigned_agent_role: assigned }),
      agent_role_grants: [...grants],
      ...(one.pausedUntil > this.#deps.now() ? { paused_until: iso(one.pausedUntil) } : {}),
      ...(pause === undefined ? {} : { pause: pauseNote(pause) }),
    };
  }

  #givenToday() {
    const { assignedSince, now } = this.#deps;
    return assignedSince(now() - DAY_MS);
  }

  /** The tasks assigned to a contributor, newest first. */
  async history(one: Contributor, limit: number, cursor: string | undefined) {
    const from = Number.parseInt(cursor ?? "", 10) || (one.lastGen ?? 0);
    const rows = await this.#deps.reader.all(HISTORY, from, one.id, limit);
    const next = rows.at(-1)?.previous_gen ?? undefined;
    return { history: rows.map(taskOf), ...(next === undefined ? {} : { next_cursor: String(next) }) };
  }
}

function pauseNote({ note, until, by }: Pause): contributors.PauseNote {
  return { note, by, ...(until === null ? {} : { until: iso(until) }) };
}

function taskOf(row: Record<string, unknown>) {
  const text = (name: string, value: unknown) => (value === null ? {} : { [name]: String(value) });
  return {
    task_id: String(row.id),
    task_gen: Number(row.gen),
    repo: String(row.repo),
    number: Number(row.number),
    title: String(row.title),
    url: String(row.url),
    assigned_at: iso(Number(row.assigned_at)),
    ...(row.ended_at === null ? {} : { ended_at: iso(Number(row.ended_at)) }),
    ...text("outcome", row.outcome),
    ...text("reason", row.reason),
    ...text("verdict", row.verdict),
    ...text("failure_kind", row.failure_kind),
    ...text("pr_url", row.pr_url),
    ...(row.pr_state === "none" ? {} : text("pr_state", row.pr_state)),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
