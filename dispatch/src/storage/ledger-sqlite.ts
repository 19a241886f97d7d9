import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Changes, Ending, LedgerPast, LedgerRows } from "../leases/changes.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { Lease } from "../leases/lease.ts";
import type { BatchResult, LedgerStore } from "../leases/ledger-store.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type Column, except, listed, pick, valuesOf } from "./columns.ts";
import type { Reader } from "./reader.ts";
import { RecentGrants } from "./recent-grants.ts";
import { readLedger } from "./rows.ts";
import {
  contributorNames,
  contributorProgress,
  tables,
  taskEnding,
  taskGrant,
  taskKey,
  taskRenewal,
} from "./tables.ts";

/** Stores the ledger in the embedded database: reads all live rows at start, then writes one batch at a time. */
export class SqliteLedger implements LedgerStore, LedgerPast {
  readonly #sqlite: DatabaseSync;
  readonly #checkpoints: Checkpoints;
  readonly #grants: RecentGrants;
  readonly #statements: Record<keyof typeof SQL, StatementSync>;
  /** Contributors' names as the database has them, so that the indexes on them are updated only when a name changes. */
  readonly #known = new Map<string, Who>();
  #written: Contributor[] = [];

  /** `windowMs`: the longest window of any limit. */
  constructor(sqlite: DatabaseSync, checkpoints: Checkpoints, windowMs: number) {
    this.#sqlite = sqlite;
    this.#checkpoints = checkpoints;
    this.#grants = new RecentGrants(windowMs);
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, sqlite.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared) as Record<keyof typeof SQL, StatementSync>;
  }

  /**
   * Reads the live rows. No connection survives a restart, so every lease is *away*. If the clock ran ahead when an expiry
   * was written, the expiry is cut to one lease lifetime from now; it is never extended.
   */
  async load(reader: Reader, now: number, leaseTtlMs: number): Promise<LedgerRows> {
    await this.#grants.load(reader, now);
    const rows = await readLedger(reader, now, leaseTtlMs, () => false);
    for (const one of rows.contributors) this.#known.set(one.id, whoIs(one));
    return rows;
  }

  assignedAt(contributorId: string, nth: number): number | undefined {
    return this.#grants.at(contributorId, nth);
  }

  isCounted(pull: string): boolean {
    return this.#statements.isCounted.get(pull) !== undefined;
  }

  transact(decide: (update: undefined) => BatchResult | undefined): void {
    const result = decide(undefined);
    if (result !== undefined) this.#write(result.changes);
  }

  #write(changes: Changes): void {
    this.#statements.begin.run();
    this.#written = [];
    try {
      this.#writeRows(changes);
      this.#statements.commit.run();
    } catch (thrown) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("rollback");
      throw thrown;
    }
    for (const one of this.#written) this.#known.set(one.id, whoIs(one));
    this.#grants.remember(changes);
    this.#checkpoints.written(
      changes.leases.size + changes.endings.length + changes.activity.length + changes.audit.length,
    );
  }

  #writeRows(changes: Changes): void {
    const write = this.#statements;
    // A login may pass from one contributor to another in one batch: free it before the new owner takes it.
    for (const row of changes.contributors.values()) this.#freeLogin(row);
    for (const row of changes.contributors.values()) this.#writeContributor(row);
    // Write endings before grants: if an issue ended and was assigned again in one batch, its entry in the unique index must
    // be free.
    const ended = new Set<string>();
    for (const ending of changes.endings) {
      ended.add(ending.lease.taskId);
      this.#writeEnding(ending, changes);
    }
    for (const lease of changes.leases.values()) if (!ended.has(lease.taskId)) this.#writeLease(lease, changes);
    for (const item of changes.items.values()) write.item.run(...values.item(item));
    for (const { gen, state, because } of changes.pullRequests) write.pullRequest.run(state, because ?? null, gen);
    for (const [url, { gen }] of changes.counted) write.counted.run(url, gen);
    for (const line of changes.activity) write.activity.run(...values.activity(line));
    for (const line of changes.audit) write.audit.run(...values.audit(line));
    for (const [name, value] of changes.settings) {
      if (value === undefined) write.removeSetting.run(name);
      else write.setting.run(name, JSON.stringify(value));
    }
    if (changes.gen !== undefined) write.gen.run(changes.gen);
  }

  #freeLogin(row: Contributor): void {
    const known = this.#known.get(row.id);
    if (known !== undefined && known.login !== row.login) this.#statements.freeLogin.run(row.id);
  }

  #writeContributor(row: Contributor): void {
    const { progress, who, contributor } = this.#statements;
    const known = this.#known.get(row.id);
    if (known === undefined) {
      contributor.run(...values.contributor(row));
    } else {
      progress.run(...values.progress(row));
      if (isSame(known, row)) return;
      who.run(...values.who(row));
    }
    this.#written.push(row);
  }

  #writeLease(lease: Lease, changes: Changes): void {
    const grant = changes.granted.get(lease.taskId);
    const task = { lease, grant, ending: undefined };
    if (grant === undefined) this.#statements.renew.run(...values.renew(task));
    else this.#statements.grant.run(...values.grant(task));
  }

  #writeEnding(ending: Ending, changes: Changes): void {
    const { lease } = ending;
    const grant = changes.granted.get(lease.taskId);
    const task = { lease, grant, ending };
    if (grant === undefined) this.#statements.end.run(...values.end(task));
    else this.#statements.passing.run(...values.passing(task));
  }
}

// The embedded database belongs to one hub, and no connection survives its restart, so the column `connection` is not
// written.
const whole = except(tables.tasks, "connection");
const granted = except(taskGrant, "connection");
const renewal = except(taskRenewal, "connection");

const byId = pick(tables.contributors, "id");

/** What the statements of the same names take for a record, in the order of their placeholders. */
const values = {
  contributor: valuesOf(tables.contributors),
  progress: valuesOf([...contributorProgress, ...byId]),
  who: valuesOf([...contributorNames, ...byId]),
  grant: valuesOf(granted),
  passing: valuesOf(whole),
  renew: valuesOf([...renewal, ...taskKey]),
  end: valuesOf([...taskEnding, ...taskKey]),
  item: valuesOf(tables.items),
  activity: valuesOf(tables.activity),
  audit: valuesOf(tables.audit),
} as const;

const SQL = {
  begin: "begin immediate",
  commit: "commit",
  contributor: insertInto("contributors", tables.contributors),
  progress: `update contributors set ${listed(contributorProgress, place)} where id = ?`,
  freeLogin: "update contributors set login_key = '~' || id where id = ?",
  who: `update contributors set ${listed(contributorNames, place)} where id = ?`,
  grant: insertInto("tasks", granted),
  passing: insertInto("tasks", whole),
  renew: `update tasks set ${listed(renewal, place)} where gen = ? and ended_at is null`,
  end: `update tasks set ${listed(taskEnding, place)} where gen = ? and ended_at is null`,
  item: `${insertInto("items", tables.items)}
    on conflict (key) do update set ${listed(except(tables.items, "key"), (name) => `${name} = excluded.${name}`)}`,
  pullRequest: "update tasks set pr_state = ?, reason = coalesce(reason, ?) where gen = ?",
  counted: "insert into counted_pull_requests (url, task_gen) values (?, ?)",
  activity: insertInto("activity", tables.activity),
  audit: insertInto("audit", tables.audit),
  setting: "insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
  removeSetting: "delete from settings where name = ?",
  gen: "update counters set value = ? where name = 'gen'",
  isCounted: "select 1 from counted_pull_requests where url = ?",
} as const;

function insertInto(table: string, columns: readonly Column<never>[]): string {
  return `insert into ${table} (${listed(columns)}) values (${columns.map(() => "?").join(", ")})`;
}

function place(name: string): string {
  return `${name} = ?`;
}

type Who = Pick<Contributor, "login" | "accountId" | "tokenDigest">;

function whoIs({ login, accountId, tokenDigest }: Contributor): Who {
  return { login, accountId, tokenDigest };
}

function isSame(known: Who, row: Contributor): boolean {
  const { login, accountId, tokenDigest } = row;
  return known.login === login && known.accountId === accountId && known.tokenDigest === tokenDigest;
}
