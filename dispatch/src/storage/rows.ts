import type { Tier } from "@nest/protocol";
import type { LedgerRows } from "../leases/changes.ts";
import type { NamedWork } from "../leases/commands.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { HoldReason, ItemRecord } from "../leases/cooldown.ts";
import type { Lease } from "../leases/lease.ts";
import type { Reader, Row } from "./reader.ts";

/**
 * The live rows as they were left. A lease is away unless `isLive` says that its socket is another replica's; an expiry written
 * by a clock that ran ahead is cut to one lease lifetime from now, never stretched.
 */
export async function readLedger(
  reader: Reader,
  now: number,
  leaseTtlMs: number,
  isLive: (connection: string) => boolean,
): Promise<LedgerRows> {
  const leases = (await reader.all("select * from tasks where ended_at is null")).map((row) => {
    const lease = leaseOf(row);
    const connection = lease.connection !== undefined && isLive(lease.connection) ? lease.connection : undefined;
    const awaySince = connection === undefined ? now : undefined;
    return { ...lease, connection, awaySince, expiresAt: Math.min(lease.expiresAt, now + leaseTtlMs) };
  });
  const [gen] = await reader.all("select value from counters where name = 'gen'");
  const [activity] = await reader.all("select coalesce(max(id), 0) as last from activity");
  const settings = await reader.all("select name, value from settings");
  return {
    leases,
    items: (await reader.all("select * from items")).map(itemOf),
    contributors: (await reader.all("select * from contributors")).map(contributorOf),
    gen: Number(gen?.value ?? 0),
    activityId: Number(activity?.last ?? 0),
    settings: new Map(settings.map(({ name, value }) => [String(name), JSON.parse(String(value)) as unknown])),
  };
}

/** Tasks read at a time, newest first, until all of a page are too old. */
const TASKS_A_PAGE = 5000;

/** The assignments made since a time, those of one contributor in order. Tasks are numbered as time goes on: the old ones are not read. */
export async function readGrantsSince(reader: Reader, since: number): Promise<Row[]> {
  const grants: Row[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await reader.all(GRANTS_BEFORE, before, TASKS_A_PAGE);
    const recent = page.filter((row) => Number(row.assigned_at) > since);
    grants.push(...recent);
    const last = page.at(-1);
    if (last === undefined || recent.length === 0) return grants.reverse();
    before = Number(last.gen);
  }
}

const GRANTS_BEFORE =
  "select gen, contributor_id, grant_number, assigned_at from tasks where gen < ?1 order by gen desc limit ?2";

/** Pull requests whose verification a restart interrupted. */
export async function pendingPullRequests(reader: Reader): Promise<NamedWork[]> {
  return (await reader.all("select * from tasks where pr_state = 'pending'")).map((row) => ({
    taskId: String(row.id),
    gen: Number(row.gen),
    contributorId: String(row.contributor_id),
    key: String(row.item_key),
    repo: String(row.repo),
    number: Number(row.number),
    assignedAt: Number(row.assigned_at),
    prUrl: String(row.pr_url),
    completedAt: Number(row.ended_at),
  }));
}

/** Whether a task with a lower generation named the same pull request and waits for its verdict. */
export async function isNamedBefore(reader: Reader, prUrl: string, gen: number): Promise<boolean> {
  const named = "select 1 from tasks where pr_state = 'pending' and pr_url = ?1 and gen < ?2 limit 1";
  return (await reader.all(named, prUrl, gen)).length > 0;
}

function leaseOf(row: Row): Lease {
  return {
    taskId: String(row.id),
    gen: Number(row.gen),
    contributorId: String(row.contributor_id),
    identity: String(row.identity),
    repo: String(row.repo),
    number: Number(row.number),
    key: String(row.item_key),
    title: String(row.title),
    url: String(row.url),
    itemUpdatedAt: Number(row.item_updated_at),
    connection: row.connection === null ? undefined : String(row.connection),
    assignedAt: Number(row.assigned_at),
    acceptedAt: optional(row.accepted_at),
    expiresAt: Number(row.expires_at),
  };
}

function itemOf(row: Row): ItemRecord {
  return {
    key: String(row.key),
    holdReason: row.hold_reason === null ? undefined : (row.hold_reason as HoldReason),
    holdUntil: Number(row.hold_until),
    failures: Number(row.failures),
    lastFailureAt: Number(row.last_failure_at),
    unverifiedStreak: Number(row.unverified_streak),
    lastUnverifiedAt: Number(row.last_unverified_at),
    heldAsOf: optional(row.held_as_of),
  };
}

function contributorOf(row: Row): Contributor {
  return {
    id: String(row.id),
    login: String(row.login),
    accountId: optional(row.account_id),
    tokenDigest: String(row.token_digest),
    tier: row.tier as Tier,
    registeredAt: Number(row.registered_at),
    lastActiveAt: optional(row.last_active_at),
    grants: Number(row.grants),
    lastGen: optional(row.last_gen),
    completed: Number(row.completed),
    verified: Number(row.verified),
    failed: Number(row.failed),
    promotionBase: Number(row.promotion_base),
    streak: Number(row.streak),
    pausedUntil: Number(row.paused_until),
  };
}

function optional(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
