import type { Ledger } from "@nest/dispatch";
import type { leaderboard } from "@nest/protocol";
import type { DoneByHour } from "../operations/done-by-hour.ts";

const DAY_MS = 24 * 3_600_000;

const daysOf: Readonly<Record<Exclude<leaderboard.LeaderboardWindow, "all">, number>> = { week: 7, month: 30 };

export interface LeaderboardDeps {
  readonly ledger: Ledger;
  readonly doneByHour: DoneByHour;
  readonly webUrl: string;
  readonly active: () => ReadonlySet<string>;
}

type Row = leaderboard.LeaderboardRow;

/**
 * The leaderboard of one window: contributors with any work in it, ordered by verified pull requests, then completed tasks,
 * then registration. Revoked contributors are hidden; bots are ranked separately. Equal work gives an equal rank.
 */
export function leaderboardOf(
  deps: LeaderboardDeps,
  window: leaderboard.LeaderboardWindow,
  now: number,
): { readonly people: Row[]; readonly agents: Row[] } {
  const { ledger, doneByHour, webUrl, active } = deps;
  const done = window === "all" ? undefined : doneByHour.since(now - daysOf[window] * DAY_MS);
  const live = active();
  const rows: Row[] = [];
  for (const one of ledger.contributors()) {
    if (one.tier === "revoked") continue;
    const { completed, verified, failed } = done === undefined ? one : recordOf(done.get(one.id));
    if (completed === 0 && verified === 0) continue;
    rows.push({
      rank: 0,
      github_username: one.login,
      avatar_url: `${webUrl}/${encodeURIComponent(one.login)}.png`,
      trust_tier: one.tier,
      tasks_verified: verified,
      tasks_completed: completed,
      tasks_failed: failed,
      registered_at: new Date(one.registeredAt).toISOString(),
      active: live.has(one.id),
      is_agent: one.login.toLowerCase().endsWith("[bot]"),
    });
  }
  return { people: ranked(rows.filter((row) => !row.is_agent)), agents: ranked(rows.filter((row) => row.is_agent)) };
}

/** A contributor's work in a window, counted as in their record: a task that ended with any verdict counts as completed. */
function recordOf(done: ReturnType<ReturnType<DoneByHour["since"]>["get"]>) {
  if (done === undefined) return { completed: 0, verified: 0, failed: 0 };
  const { completed, no_work_needed, blocked, verified, failed } = done;
  return { completed: completed + no_work_needed + blocked, verified, failed };
}

function ranked(rows: Row[]): Row[] {
  rows.sort(
    (a, b) =>
      b.tasks_verified - a.tasks_verified ||
      b.tasks_completed - a.tasks_completed ||
      (a.registered_at < b.registered_at ? -1 : 1),
  );
  let rank = 0;
  let before: Row | undefined;
  return rows.map((row, at) => {
    const same = before?.tasks_verified === row.tasks_verified && before.tasks_completed === row.tasks_completed;
    if (!same) rank = at + 1;
    before = row;
    return { ...row, rank };
  });
}
