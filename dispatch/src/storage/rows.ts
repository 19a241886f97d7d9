import type { LedgerRows } from "../leases/changes.ts";
import type { NamedWork } from "../leases/commands.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { ItemRecord } from "../leases/cooldown.ts";
import type { Lease } from "../leases/lease.ts";
import { pick, type Row, readerOfRows } from "./columns.ts";
import type { Reader } from "./reader.ts";
import { leaseColumns, tables } from "./tables.ts";

/**
 * Reads the live rows. A lease is *away* unless `isLive` says that its connection is at a live replica. If the clock ran
 * ahead when an expiry was written, the expiry is cut to one lease lifetime from now; it is never extended.
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

/** Tasks are read in pages of this size, newest first, until a whole page is too old. */
const TASKS_A_PAGE = 5000;

/**
 * The assignments made since a time, each contributor's in order. Generations increase with time, so reading stops at the old
 * ones.
 */
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

/** Pull requests whose verification was interrupted by a restart. */
export async function pendingPullRequests(reader: Reader): Promise<NamedWork[]> {
  return (await reader.all("select * from tasks where pr_state = 'pending'")).map((row) => {
    const { endedAt, ...named } = namedOf(row);
    return { ...named, completedAt: endedAt };
  });
}

/** Whether a task with a lower generation named the same pull request and waits for its verdict. */
export async function isNamedBefore(reader: Reader, prUrl: string, gen: number): Promise<boolean> {
  const named = "select 1 from tasks where pr_state = 'pending' and pr_url = ?1 and gen < ?2 limit 1";
  return (await reader.all(named, prUrl, gen)).length > 0;
}

const itemOf = readerOfRows<ItemRecord>(tables.items);
const contributorOf = readerOfRows<Contributor>(tables.contributors);
const leaseOf = readerOfRows<Lease>(leaseColumns);
const namedOf = readerOfRows<Omit<NamedWork, "completedAt"> & { readonly endedAt: number }>(
  pick(tables.tasks, "id", "gen", "contributor_id", "item_key", "repo", "number", "assigned_at", "pr_url", "ended_at"),
);
