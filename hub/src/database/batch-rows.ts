import type { Contributor } from "../contributors/standing.ts";
import type { Changes, Ending, Grant } from "../leases/changes.ts";
import type { Lease } from "../leases/lease.ts";
import type { ItemRecord } from "../queue/cooldown.ts";

type JsonRow = Readonly<Record<string, unknown>>;

/** A batch as rows with the columns of their tables, in JSON's terms; what is undefined becomes null. */
export function batchRowsOf(changes: Changes): Readonly<Record<string, readonly JsonRow[] | number>> {
  const ended = new Set(changes.endings.map(({ lease }) => lease.taskId));
  const live = [...changes.leases.values()].filter(({ taskId }) => !ended.has(taskId));
  const isNew = ({ taskId }: Lease) => changes.granted.has(taskId);
  const grantOf = ({ taskId }: Lease) => changes.granted.get(taskId);
  return {
    contributors: [...changes.contributors.values()].map(contributorRow),
    ended: changes.endings
      .filter(({ lease }) => !isNew(lease))
      .map((ending) => ({ ...movingRow(ending.lease), ...endingRow(ending) })),
    renewed: live.filter((lease) => !isNew(lease)).map(movingRow),
    granted: [
      ...changes.endings
        .filter(({ lease }) => isNew(lease))
        .map((ending) => ({ ...leaseRow(ending.lease, grantOf(ending.lease)), ...endingRow(ending) })),
      ...live.filter(isNew).map((lease) => leaseRow(lease, grantOf(lease))),
    ],
    items: [...changes.items.values()].map(itemRow),
    judged: changes.pullRequests.map(({ gen, state, because }) => ({ gen, pr_state: state, reason: because })),
    counted: [...changes.counted].map(([url, { gen }]) => ({ url, task_gen: gen })),
    activity: changes.activity.map(({ task, ...line }) => ({ ...line, task_gen: task?.gen })),
    audit: changes.audit.map(({ before, after, ...line }) => ({ ...line, before: json(before), after: json(after) })),
    settings: [...changes.settings].map(([name, value]) => ({ name, value: json(value) })),
    ...(changes.gen === undefined ? {} : { gen: changes.gen }),
  };
}

function contributorRow(one: Contributor): JsonRow {
  return {
    id: one.id,
    login: one.login,
    login_key: one.login.toLowerCase(),
    token_digest: one.tokenDigest,
    tier: one.tier,
    registered_at: one.registeredAt,
    last_active_at: one.lastActiveAt,
    grants: one.grants,
    last_gen: one.lastGen,
    completed: one.completed,
    verified: one.verified,
    failed: one.failed,
    promotion_base: one.promotionBase,
    streak: one.streak,
    paused_until: one.pausedUntil,
  };
}

function leaseRow(lease: Lease, grant: Grant | undefined): JsonRow {
  return {
    gen: lease.gen,
    id: lease.taskId,
    contributor_id: lease.contributorId,
    grant_number: grant?.nth ?? 0,
    previous_gen: grant?.previous,
    identity: lease.identity,
    repo: lease.repo,
    number: lease.number,
    item_key: lease.key,
    title: lease.title,
    url: lease.url,
    item_updated_at: lease.itemUpdatedAt,
    assigned_at: lease.assignedAt,
    ...movingRow(lease),
  };
}

/** What of a lease changes after it was made. */
function movingRow({ gen, acceptedAt, expiresAt, connection }: Lease): JsonRow {
  return { gen, accepted_at: acceptedAt, expires_at: expiresAt, connection };
}

function endingRow(ending: Ending): JsonRow {
  return {
    connection: null,
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

function itemRow(item: ItemRecord): JsonRow {
  return {
    key: item.key,
    hold_reason: item.holdReason,
    hold_until: item.holdUntil,
    failures: item.failures,
    last_failure_at: item.lastFailureAt,
    unverified_streak: item.unverifiedStreak,
    last_unverified_at: item.lastUnverifiedAt,
    held_as_of: item.heldAsOf,
  };
}

function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** JSON that PostgreSQL takes: it has no place for NUL, nor for half of a character. */
export function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? storable(part) : part));
}

/** How JSON spells what may be one of them; a look costs nothing beside visiting every string. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
