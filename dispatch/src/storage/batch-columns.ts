import type { Activity, Changes, Ending, Grant } from "../leases/changes.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { ItemRecord } from "../leases/cooldown.ts";
import type { Lease } from "../leases/lease.ts";
import { storable } from "./postgres-text.ts";

type Value = string | number | undefined;
type Columns<Row> = Readonly<Record<string, (row: Row) => Value>>;
type Granted = readonly [lease: Lease, grant: Grant];

const contributors: Columns<Contributor> = {
  id: (one) => one.id,
  login: (one) => one.login,
  login_key: (one) => one.login.toLowerCase(),
  token_digest: (one) => one.tokenDigest,
  tier: (one) => one.tier,
  registered_at: (one) => one.registeredAt,
  last_active_at: (one) => one.lastActiveAt,
  grants: (one) => one.grants,
  last_gen: (one) => one.lastGen,
  completed: (one) => one.completed,
  verified: (one) => one.verified,
  failed: (one) => one.failed,
  promotion_base: (one) => one.promotionBase,
  streak: (one) => one.streak,
  paused_until: (one) => one.pausedUntil,
  account_id: (one) => one.accountId,
};

const ended: Columns<Ending> = {
  gen: ({ lease }) => lease.gen,
  accepted_at: ({ lease }) => lease.acceptedAt,
  expires_at: ({ lease }) => lease.expiresAt,
  ended_at: ({ endedAt }) => endedAt,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  verdict: ({ verdict }) => verdict,
  failure_kind: ({ failureKind }) => failureKind,
  permanent: ({ permanent }) => (permanent === undefined ? undefined : Number(permanent)),
  pr_url: ({ prUrl }) => prUrl,
  pr_state: ({ prState }) => prState,
};

const renewed: Columns<Lease> = {
  gen: (lease) => lease.gen,
  accepted_at: (lease) => lease.acceptedAt,
  expires_at: (lease) => lease.expiresAt,
  connection: (lease) => lease.connection,
};

const granted: Columns<Granted> = {
  gen: ([lease]) => lease.gen,
  id: ([lease]) => lease.taskId,
  contributor_id: ([lease]) => lease.contributorId,
  grant_number: ([, { nth }]) => nth,
  previous_gen: ([, { previous }]) => previous,
  identity: ([lease]) => lease.identity,
  repo: ([lease]) => lease.repo,
  number: ([lease]) => lease.number,
  item_key: ([lease]) => lease.key,
  title: ([lease]) => lease.title,
  url: ([lease]) => lease.url,
  item_updated_at: ([lease]) => lease.itemUpdatedAt,
  assigned_at: ([lease]) => lease.assignedAt,
  accepted_at: ([lease]) => lease.acceptedAt,
  expires_at: ([lease]) => lease.expiresAt,
  connection: ([lease]) => lease.connection,
};

const items: Columns<ItemRecord> = {
  key: (item) => item.key,
  hold_reason: (item) => item.holdReason,
  hold_until: (item) => item.holdUntil,
  failures: (item) => item.failures,
  last_failure_at: (item) => item.lastFailureAt,
  unverified_streak: (item) => item.unverifiedStreak,
  last_unverified_at: (item) => item.lastUnverifiedAt,
  held_as_of: (item) => item.heldAsOf,
};

const activity: Columns<Activity> = {
  id: (line) => line.id,
  at: (line) => line.at,
  login: (line) => line.login,
  action: (line) => line.action,
  task_gen: ({ task }) => task?.gen,
  url: (line) => line.url,
  detail: (line) => line.detail,
};

const lists = { contributors, ended, renewed, granted, items, activity };

/** The parameters of `nest_write` that are columns, in the order of {@link batchColumnsOf}: `<list>_<column>`. */
export const columnNames: readonly string[] = Object.entries(lists).flatMap(([list, columns]) =>
  Object.keys(columns).map((column) => `${list}_${column}`),
);

/**
 * What most batches are made of: each column as one PostgreSQL array, which costs the database half of what rows of JSON do.
 * The rest is in `batch-rows.ts`: a task that was granted and ended in one batch is there and not here.
 */
export function batchColumnsOf(changes: Changes): string[] {
  const over = new Set<string>();
  for (const { lease } of changes.endings) over.add(lease.taskId);
  const moved: Lease[] = [];
  const made: Granted[] = [];
  for (const lease of changes.leases.values()) {
    if (over.has(lease.taskId)) continue;
    const grant = changes.granted.get(lease.taskId);
    if (grant === undefined) moved.push(lease);
    else made.push([lease, grant]);
  }
  return [
    ...arraysOf(contributors, [...changes.contributors.values()]),
    ...arraysOf(
      ended,
      changes.endings.filter(({ lease }) => !changes.granted.has(lease.taskId)),
    ),
    ...arraysOf(renewed, moved),
    ...arraysOf(granted, made),
    ...arraysOf(items, [...changes.items.values()]),
    ...arraysOf(activity, changes.activity),
  ];
}

function arraysOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  return Object.values(columns).map((read) => storable(`{${rows.map((row) => element(read(row))).join(",")}}`));
}

/** Text is always quoted: unquoted, some of it would mean something else. */
function element(value: Value): Value {
  if (value === undefined) return "NULL";
  if (typeof value === "number") return value;
  return SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : `"${value}"`;
}

const SPECIAL = /["\\]/;
