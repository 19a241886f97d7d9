import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "@nest/kit";
import { type contribute, type contributors, PROTOCOL_VERSION } from "@nest/protocol";
import { leaseState } from "../leases/lease.ts";
import type { Activity, Ledger } from "../leases/ledger.ts";
import type { Monitor } from "../queue/monitor.ts";
import type { Entry, Queue } from "../queue/queue.ts";
import type { Gateway } from "../relays/gateway.ts";
import type { Session } from "../relays/session.ts";

export interface ReadModelParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly gateway: Gateway;
  readonly monitor: Monitor;
  readonly sqlite: DatabaseSync;
  readonly clock: Clock;
  readonly isSuspended: () => boolean;
}

/** What people see of the hub: one function a surface, all counting with the same numbers. No tokens, no secrets. */
export class ReadModel {
  readonly #parts: ReadModelParts;

  constructor(parts: ReadModelParts) {
    this.#parts = parts;
  }

  status(): contribute.StatusReply {
    const { ledger, queue, gateway, monitor, isSuspended } = this.#parts;
    const active = new Set<string>();
    for (const session of gateway.sessions())
      if (session.speaker !== undefined) active.add(session.speaker.contributorId);
    queue.wake(this.#parts.clock.now());
    return {
      hub: "online",
      active_contributors: active.size,
      total_registered: ledger.contributorCount,
      actionable_items: queue.actionable,
      total_items: queue.size,
      withheld: queue.withheldCounts(),
      suspended: isSuspended(),
      in_flight: ledger.leaseCount,
      surface: "hub",
      api_version: PROTOCOL_VERSION,
      repositories: monitor
        .repositories()
        .map(({ repo, state, issues, error }) => ({ repo, state, issues, ...(error === undefined ? {} : { error }) })),
    };
  }

  /** A page of the queue; with `withheld` also what is not offered, after what is. */
  queue(query: {
    limit: number;
    cursor?: string | undefined;
    with?: "withheld" | undefined;
    q?: string | undefined;
  }): contribute.QueueReply {
    const { queue, clock } = this.#parts;
    queue.wake(clock.now());
    const withheld =
      query.with === "withheld" ? [...queue.entries()].filter((entry) => entry.withheld !== undefined) : [];
    const wanted = query.q?.toLowerCase();
    const all = [...queue.inOrder(), ...withheld].filter(
      (entry) => wanted === undefined || `${entry.key} ${entry.title}`.toLowerCase().includes(wanted),
    );
    const from = Number.parseInt(query.cursor ?? "0", 10) || 0;
    const page = all.slice(from, from + query.limit);
    const next = from + page.length;
    return {
      queue: page.map(queueItem),
      actionable_items: queue.actionable,
      withheld: queue.withheldCounts(),
      ...(next < all.length ? { next_cursor: String(next) } : {}),
    };
  }

  fleet(): contribute.FleetReply {
    const { ledger, queue, gateway } = this.#parts;
    const held = new Map<string, string>();
    const work: contribute.FleetWork[] = [];
    for (const lease of ledger.liveLeases()) {
      const session = lease.connection === undefined ? undefined : gateway.session(lease.connection);
      if (lease.connection !== undefined) held.set(lease.connection, lease.taskId);
      const state = leaseState(lease);
      work.push({
        task_id: lease.taskId,
        task_gen: lease.gen,
        kind: "issue",
        repo: lease.repo,
        number: lease.number,
        title: lease.title,
        url: lease.url,
        contributor_id: lease.contributorId,
        github_username: ledger.contributor(lease.contributorId)?.login ?? "",
        status: state === "working" ? "in-progress" : state,
        assigned_at: iso(lease.assignedAt),
        expires_at: iso(lease.expiresAt),
        ...(session?.note === undefined ? {} : { note: session.note }),
      });
    }
    const counts = queue.withheldCounts();
    const cooling = ["failed", "quarantined", "connection_lost", "given_back", "requeued"];
    return {
      clankers: [...gateway.sessions()].flatMap((session) => fleetRelay(session, held)),
      work,
      cooldown_count: cooling.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0),
      in_flight_count: work.length,
      held_count: counts.operator_hold ?? 0,
    };
  }

  activity(
    limit: number,
    cursor: string | undefined,
  ): { activity: contribute.ActivityEntry[]; retained: number; next_cursor?: string } {
    const { sqlite } = this.#parts;
    const before = Number.parseInt(cursor ?? "", 10) || Number.MAX_SAFE_INTEGER;
    const rows = sqlite.prepare(ACTIVITY).all(before, limit);
    const entries = rows.map((row) => activityEntry(activityOf(row)));
    const last = entries.at(-1);
    const retained = Number(sqlite.prepare("select count(*) as n from activity").get()?.n ?? 0);
    return {
      activity: entries,
      retained,
      ...(entries.length === limit && last !== undefined ? { next_cursor: String(last.id) } : {}),
    };
  }

  audit(limit: number, cursor: string | undefined) {
    const before = Number.parseInt(cursor ?? "", 10) || Number.MAX_SAFE_INTEGER;
    const rows = this.#parts.sqlite
      .prepare("select * from audit where id < ? order by id desc limit ?")
      .all(before, limit);
    const audit = rows.map((row) => ({
      id: Number(row.id),
      at: iso(Number(row.at)),
      actor: String(row.actor),
      action: String(row.action),
      subject: String(row.subject),
      ...(row.before === null ? {} : { before: JSON.parse(String(row.before)) as unknown }),
      ...(row.after === null ? {} : { after: JSON.parse(String(row.after)) as unknown }),
    }));
    const last = audit.at(-1);
    return { audit, ...(audit.length === limit && last !== undefined ? { next_cursor: String(last.id) } : {}) };
  }

  contributors(
    limit: number,
    cursor: string | undefined,
  ): { contributors: contributors.ContributorRow[]; next_cursor?: string } {
    const { ledger, gateway } = this.#parts;
    const active = new Set<string>();
    for (const session of gateway.sessions())
      if (session.speaker !== undefined) active.add(session.speaker.contributorId);
    const all = [...ledger.contributors()].sort((a, b) => a.registeredAt - b.registeredAt || (a.id < b.id ? -1 : 1));
    const from = Number.parseInt(cursor ?? "0", 10) || 0;
    const rows = all.slice(from, from + limit).map((one) => {
      const current = ledger.leasesOfContributor(one.id)[0];
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
        ...(current === undefined ? {} : { current_task: current.taskId }),
      };
    });
    const next = from + rows.length;
    return { contributors: rows, ...(next < all.length ? { next_cursor: String(next) } : {}) };
  }
}

const ACTIVITY = `
  select activity.*, tasks.id as task_id, tasks.repo, tasks.number, tasks.title, tasks.url as task_url
  from activity left join tasks on tasks.gen = activity.task_gen
  where activity.id < ? order by activity.id desc limit ?`;

/** An activity line as the wire has it. */
export function activityEntry(line: Activity): contribute.ActivityEntry {
  const { task } = line;
  const url = line.url ?? task?.url;
  return {
    id: line.id,
    timestamp: iso(line.at),
    username: line.login,
    action: line.action,
    ...(task === undefined ? {} : { task: `${task.repo}#${task.number}`, task_id: task.taskId, title: task.title }),
    ...(url === undefined ? {} : { url }),
    ...(line.detail === undefined || line.detail === "" ? {} : { detail: line.detail }),
  };
}

function activityOf(row: Record<string, unknown>): Activity {
  const text = (value: unknown) => (value === null ? undefined : String(value));
  const { task_id: taskId, task_gen: gen, repo, number, title, task_url: url } = row;
  const task = {
    taskId: String(taskId),
    gen: Number(gen),
    repo: String(repo),
    number: Number(number),
    title: String(title),
    url: String(url),
  };
  return {
    id: Number(row.id),
    at: Number(row.at),
    login: String(row.login),
    action: String(row.action),
    task: taskId === null ? undefined : task,
    url: text(row.url),
    detail: text(row.detail),
  };
}

function queueItem(entry: Entry): contribute.QueueItem {
  const { withheld, issue } = entry;
  return {
    key: entry.key,
    repo: entry.repo,
    number: entry.number,
    title: entry.title,
    url: entry.url,
    labels: [...issue.labels],
    author: issue.author,
    updated_at: iso(entry.updatedAt),
    ...(withheld === undefined
      ? {}
      : {
          withheld: {
            reason: withheld.reason,
            ...(withheld.until === undefined ? {} : { until: iso(withheld.until) }),
            ...(withheld.detail === undefined ? {} : { detail: withheld.detail }),
          },
        }),
  };
}

function fleetRelay(session: Session, held: ReadonlyMap<string, string>): contribute.FleetRelay[] {
  const { speaker, declared, lastFailure } = session;
  if (speaker === undefined) return [];
  const current = held.get(session.connection);
  const capabilities = Object.fromEntries(
    Object.entries(declared.facts).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  return [
    {
      contributor_id: speaker.contributorId,
      github_username: session.login,
      connection_id: session.connection,
      trust_tier: session.tier,
      ...(declared.backend === undefined ? {} : { cli_backend: declared.backend }),
      ...(declared.model === undefined ? {} : { model: declared.model }),
      ...(declared.role === undefined ? {} : { role: declared.role }),
      ...(declared.session === undefined ? {} : { session: declared.session }),
      capabilities,
      protocol: {
        ...(declared.version === undefined ? {} : { declared: declared.version }),
        verdict: declared.verdict,
      },
      connected_at: iso(session.connectedAt),
      last_activity: iso(session.lastActivityAt),
      ...(current === undefined ? {} : { current_task: current }),
      ...(current !== undefined || session.idleReason === undefined ? {} : { idle_reason: session.idleReason }),
      ...(lastFailure === undefined
        ? {}
        : {
            last_failure: {
              task_id: lastFailure.taskId,
              repo: lastFailure.repo,
              number: lastFailure.number,
              kind: lastFailure.kind,
              reason: lastFailure.reason,
              permanent: lastFailure.permanent,
              at: iso(lastFailure.at),
            },
          }),
    },
  ];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
