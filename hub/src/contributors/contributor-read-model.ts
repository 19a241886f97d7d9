import { type Contributor, type DeciderPolicy, type Ledger, type Reader, rolesOf } from "@nest/dispatch";
import type { contribute, contributors, Durations, OwnLimitsLeft, TierLimits } from "@nest/protocol";
import { inOrderOf } from "./list-order.ts";

export interface ContributorReadModelDeps {
  readonly ledger: Ledger;
  readonly reader: Reader;
  readonly times: Durations;
  readonly policy: () => DeciderPolicy;
  /** Contributors with a live socket. */
  readonly active: () => ReadonlySet<string>;
  /** Tasks that each contributor was given since a time, to the hour. */
  readonly assignedSince: (from: number) => ReadonlyMap<string, { readonly assigned: number }>;
  readonly now: () => number;
}

/** Each task names the one before it: a page is a walk from key to key, and no index has to be kept for it. */
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

/** Contributors as people look at them. Never a token, nor its digest. */
export class ContributorReadModel {
  readonly #deps: ContributorReadModelDeps;

  constructor(deps: ContributorReadModelDeps) {
    this.#deps = deps;
  }

  /** A page of contributors; `q` finds part of a login. */
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
    const from = Number.parseInt(query.cursor ?? "0", 10) || 0;
    const active = this.#deps.active();
    const given = this.#givenToday();
    const rows = all.slice(from, from + query.limit).map((one) => this.row(one, active, given));
    const next = from + rows.length;
    return { contributors: rows, matching: all.length, ...(next < all.length ? { next_cursor: String(next) } : {}) };
  }

  row(one: Contributor, active = this.#deps.active(), given = this.#givenToday()): contributors.ContributorRow {
    const { ledger } = this.#deps;
    const current = ledger.leasesOfContributor(one.id)[0];
    const { assigned, grants } = rolesOf(ledger, one.id);
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
      ...(one.pausedUntil > 0 ? { paused_until: iso(one.pausedUntil) } : {}),
    };
  }

  #givenToday() {
    const { assignedSince, now } = this.#deps;
    return assignedSince(now() - DAY_MS);
  }

  /** The tasks a contributor was given, newest first. */
  async history(one: Contributor, limit: number, cursor: string | undefined) {
    const from = Number.parseInt(cursor ?? "", 10) || (one.lastGen ?? 0);
    const rows = await this.#deps.reader.all(HISTORY, from, one.id, limit);
    const next = rows.at(-1)?.previous_gen ?? undefined;
    return { history: rows.map(taskOf), ...(next === undefined ? {} : { next_cursor: String(next) }) };
  }

  /** How a contributor stands against the limits of their tier; the windows are those that admit them to work. */
  ownLimits(one: Contributor, now: number): contribute.OwnLimits | undefined {
    if (one.tier === "revoked") return undefined;
    const { ledger, times, policy } = this.#deps;
    const { limits, promotion } = policy();
    const { max_per_hour, max_per_day, max_concurrent } = limits[one.tier];
    const hour = this.#window(one, max_per_hour, times.hourWindowMs, now);
    const day = this.#window(one, max_per_day, times.dayWindowMs, now);
    const next = nextTier(one, promotion);
    return {
      username: one.login,
      contributor_id: one.id,
      tier: one.tier,
      used_hour: hour.used,
      used_day: day.used,
      held: ledger.heldBy(one.id),
      ...({ max_per_hour, max_per_day, max_concurrent } satisfies TierLimits),
      ...(hour.freesAt === undefined ? {} : { hour_frees_at: iso(hour.freesAt) }),
      ...(day.freesAt === undefined ? {} : { day_frees_at: iso(day.freesAt) }),
      ...(one.pausedUntil > now ? { paused_until: iso(one.pausedUntil) } : {}),
      tasks_completed: one.completed,
      tasks_verified: one.verified,
      tasks_failed: one.failed,
      ...(next === undefined ? {} : { next_tier: next }),
    };
  }

  /** The same in short, for the contributor's relay; undefined where nothing is limited, or nobody is known by that id. */
  limitsLeft(contributorId: string, now: number): OwnLimitsLeft | undefined {
    const one = this.#deps.ledger.contributor(contributorId);
    if (one === undefined || one.tier === "revoked") return undefined;
    const { max_per_hour, max_per_day, max_concurrent } = this.#deps.policy().limits[one.tier];
    if (max_per_hour === 0 && max_per_day === 0 && max_concurrent === 0) return undefined;
    const own = this.ownLimits(one, now);
    if (own === undefined) return undefined;
    const { used_hour, used_day, held } = own;
    return { used_hour, used_day, held, max_per_hour, max_per_day, max_concurrent };
  }

  /** How many assignments lie inside a rolling window, and when a full one has room again. */
  #window(
    one: Contributor,
    limit: number,
    windowMs: number,
    now: number,
  ): { used: number; freesAt: number | undefined } {
    const { ledger } = this.#deps;
    const least = Math.max(0, one.grants - MOST_COUNTED);
    let used = 0;
    for (let nth = one.grants; nth > least; nth -= 1) {
      const at = ledger.assignedAt(one, nth, now);
      if (at === undefined || at + windowMs <= now) break;
      used += 1;
    }
    if (limit <= 0 || used < limit) return { used, freesAt: undefined };
    const oldest = ledger.assignedAt(one, one.grants - limit + 1, now);
    return { used, freesAt: oldest === undefined ? undefined : oldest + windowMs };
  }
}

/** Assignments counted one by one at most, for somebody without limits. */
const MOST_COUNTED = 1000;

function nextTier(one: Contributor, at: DeciderPolicy["promotion"]): contribute.OwnLimits["next_tier"] {
  const counted = one.verified - one.promotionBase;
  if (one.tier === "newcomer" && at.contributorAt > 0)
    return { tier: "contributor", missing: Math.max(0, at.contributorAt - counted) };
  if (one.tier === "contributor" && at.trustedAt > 0)
    return { tier: "trusted", missing: Math.max(0, at.trustedAt - counted) };
  return undefined;
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
