import { type Ledger, leaseState } from "@nest/dispatch";
import type { tasks } from "@nest/protocol";

/** One attempt at an issue, made from its row in the database and, while it lives, its lease. */
export function attemptOf(row: Readonly<Record<string, unknown>>, ledger: Ledger): tasks.Attempt {
  const id = String(row.id);
  const lease = ledger.lease(id);
  const state = lease === undefined ? undefined : leaseState(lease);
  const contributorId = String(row.contributor_id);
  return {
    task_id: id,
    task_gen: Number(row.gen),
    contributor_id: contributorId,
    github_username: ledger.contributor(contributorId)?.login ?? "",
    status: state === undefined ? "ended" : state === "working" ? "in-progress" : state,
    assigned_at: iso(Number(row.assigned_at)),
    ...(row.ended_at === null ? {} : { ended_at: iso(Number(row.ended_at)) }),
    ...text("backend", row.backend || undefined),
    ...text("tier", row.tier),
    ...text("model", row.model),
    ...text("relay_version", row.relay_version),
    ...text("outcome", row.outcome),
    ...text("reason", row.reason),
    ...text("verdict", row.verdict),
    ...text("failure_kind", row.failure_kind),
    ...(row.permanent === null ? {} : { permanent: Number(row.permanent) === 1 }),
    ...text("pr_url", row.pr_url),
    ...(row.pr_state === "none" ? {} : text("pr_state", row.pr_state)),
  };
}

function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return value === null || value === undefined ? {} : ({ [name]: String(value) } as Record<Name, string>);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
