import type { Changes, Ending } from "../leases/changes.ts";

type JsonRow = Readonly<Record<string, unknown>>;

/**
 * What few batches have, as rows with the columns of their tables in JSON's terms; undefined when there is nothing of it. What
 * is undefined in a row becomes null.
 */
export function rareRowsOf(changes: Changes): Readonly<Record<string, readonly JsonRow[]>> | undefined {
  const rows = {
    passing: changes.endings
      .filter(({ lease }) => changes.granted.has(lease.taskId))
      .map((one) => passingRow(one, changes)),
    judged: changes.pullRequests.map(({ gen, state, because }) => ({ gen, pr_state: state, reason: because })),
    counted: [...changes.counted].map(([url, { gen }]) => ({ url, task_gen: gen })),
    audit: changes.audit.map(({ before, after, ...line }) => ({ ...line, before: json(before), after: json(after) })),
    settings: [...changes.settings].map(([name, value]) => ({ name, value: json(value) })),
  };
  return Object.values(rows).some(({ length }) => length > 0) ? rows : undefined;
}

/** A task that was granted and ended in one batch. */
function passingRow({ lease, ...ending }: Ending, { granted }: Changes): JsonRow {
  const grant = granted.get(lease.taskId);
  return {
    gen: lease.gen,
    id: lease.taskId,
    contributor_id: lease.contributorId,
    grant_number: grant?.nth,
    previous_gen: grant?.previous,
    identity: lease.identity,
    repo: lease.repo,
    number: lease.number,
    item_key: lease.key,
    title: lease.title,
    url: lease.url,
    item_updated_at: lease.itemUpdatedAt,
    assigned_at: lease.assignedAt,
    accepted_at: lease.acceptedAt,
    expires_at: lease.expiresAt,
    ended_at: ending.endedAt,
    outcome: ending.outcome,
    reason: ending.reason,
    verdict: ending.verdict,
    failure_kind: ending.failureKind,
    permanent: ending.permanent === undefined ? undefined : Number(ending.permanent),
    pr_url: ending.prUrl,
    pr_state: ending.prState,
  };
}

function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
