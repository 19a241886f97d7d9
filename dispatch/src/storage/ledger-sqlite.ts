import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Changes, Ending, LedgerPast, LedgerRows } from "../leases/changes.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { Lease } from "../leases/lease.ts";
import type { BatchResult, LedgerStore } from "../leases/ledger-store.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Reader } from "./reader.ts";
import { RecentGrants } from "./recent-grants.ts";
import { readLedger } from "./rows.ts";

/** The ledger's rows in the embedded database: read whole at boot, written a batch at a time. */
export class SqliteLedger implements LedgerStore, LedgerPast {
  readonly #sqlite: DatabaseSync;
  readonly #checkpoints: Checkpoints;
  readonly #grants: RecentGrants;
  readonly #statements: Record<keyof typeof SQL, StatementSync>;
  /** Who contributors are on disk, so that the indices over that are touched only when it changes. */
  readonly #known = new Map<string, Who>();
  #written: Contributor[] = [];

  /** Limits look back `windowMs` at most. */
  constructor(sqlite: DatabaseSync, checkpoints: Checkpoints, windowMs: number) {
    this.#sqlite = sqlite;
    this.#checkpoints = checkpoints;
    this.#grants = new RecentGrants(windowMs);
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, sqlite.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared) as Record<keyof typeof SQL, StatementSync>;
  }

  /**
   * The live rows as they were left. No socket survives a restart, so every lease is away; an expiry written by a clock that
   * ran ahead is cut to one lease lifetime from now, never stretched.
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

  transact(decide: (news: undefined) => BatchResult | undefined): void {
    const decided = decide(undefined);
    if (decided !== undefined) this.#write(decided.changes);
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
    // A login may pass from one to another in one batch: it is free before anybody takes it.
    for (const row of changes.contributors.values()) this.#freeLogin(row);
    for (const row of changes.contributors.values()) this.#writeContributor(row);
    // Endings first: an issue that ended and was handed out again in one batch must free its place in the index.
    const ended = new Set<string>();
    for (const ending of changes.endings) {
      ended.add(ending.lease.taskId);
      this.#writeEnding(ending, changes);
    }
    for (const lease of changes.leases.values()) if (!ended.has(lease.taskId)) this.#writeLease(lease, changes);
    for (const item of changes.items.values()) {
      write.item.run(
        item.key,
        item.holdReason ?? null,
        item.holdUntil,
        item.failures,
        item.lastFailureAt,
        item.unverifiedStreak,
        item.lastUnverifiedAt,
        item.heldAsOf ?? null,
      );
    }
    for (const { gen, state, because } of changes.pullRequests) write.pullRequest.run(state, because ?? null, gen);
    for (const [url, { gen }] of changes.counted) write.counted.run(url, gen);
    for (const line of changes.activity) {
      write.activity.run(
        line.id,
        line.at,
        line.login,
        line.action,
        line.task?.gen ?? null,
        line.url ?? null,
        line.detail ?? null,
      );
    }
    for (const line of changes.audit) {
      write.audit.run(line.at, line.actor, line.action, line.subject, json(line.before), json(line.after));
    }
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
    const { standing, who, contributor } = this.#statements;
    const known = this.#known.get(row.id);
    const values = standingValues(row);
    if (known === undefined) {
      contributor.run(
        row.tokenDigest,
        ...values,
        row.registeredAt,
        row.login,
        row.login.toLowerCase(),
        row.accountId ?? null,
      );
    } else {
      standing.run(...values);
      if (isSame(known, row)) return;
      who.run(row.tokenDigest, row.login, row.login.toLowerCase(), row.accountId ?? null, row.id);
    }
    this.#written.push(row);
  }

  #writeLease(lease: Lease, changes: Changes): void {
    if (!changes.granted.has(lease.taskId)) {
      this.#statements.renew.run(lease.acceptedAt ?? null, lease.expiresAt, lease.gen);
      return;
    }
    this.#insert(lease, changes, undefined);
  }

  #writeEnding(ending: Ending, changes: Changes): void {
    if (changes.granted.has(ending.lease.taskId)) {
      this.#insert(ending.lease, changes, ending);
      return;
    }
    this.#statements.end.run(
      ...endingValues(ending),
      ending.lease.acceptedAt ?? null,
      ending.lease.expiresAt,
      ending.lease.gen,
    );
  }

  #insert(lease: Lease, changes: Changes, ending: Ending | undefined): void {
    const grant = changes.granted.get(lease.taskId);
    this.#statements.insert.run(
      lease.gen,
      lease.taskId,
      lease.contributorId,
      grant?.nth ?? 0,
      grant?.previous ?? null,
      lease.identity,
      lease.repo,
      lease.number,
      lease.key,
      lease.title,
      lease.url,
      lease.itemUpdatedAt,
      lease.assignedAt,
      lease.acceptedAt ?? null,
      lease.expiresAt,
      ...(ending === undefined ? [null, null, null, null, null, null, null, null] : endingValues(ending)),
    );
  }
}

const SQL = {
  begin: "begin immediate",
  commit: "commit",
  contributor: `
    insert into contributors (token_digest, tier, last_active_at, grants, last_gen, completed, verified, failed, promotion_base,
      streak, paused_until, id, registered_at, login, login_key, account_id)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  standing: `
    update contributors set tier = ?, last_active_at = ?, grants = ?, last_gen = ?, completed = ?, verified = ?, failed = ?,
      promotion_base = ?, streak = ?, paused_until = ? where id = ?`,
  freeLogin: "update contributors set login_key = '~' || id where id = ?",
  who: "update contributors set token_digest = ?, login = ?, login_key = ?, account_id = ? where id = ?",
  insert: `
    insert into tasks (gen, id, contributor_id, grant_number, previous_gen, identity, repo, number, item_key, title, url, item_updated_at,
      assigned_at, accepted_at, expires_at, ended_at, outcome, reason, verdict, failure_kind, permanent, pr_url, pr_state)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  renew: "update tasks set accepted_at = ?, expires_at = ? where gen = ? and ended_at is null",
  end: `
    update tasks set ended_at = ?, outcome = ?, reason = ?, verdict = ?, failure_kind = ?, permanent = ?, pr_url = ?, pr_state = ?,
      accepted_at = ?, expires_at = ? where gen = ? and ended_at is null`,
  item: `
    insert into items (key, hold_reason, hold_until, failures, last_failure_at, unverified_streak, last_unverified_at, held_as_of)
    values (?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (key) do update set hold_reason = excluded.hold_reason, hold_until = excluded.hold_until,
      failures = excluded.failures, last_failure_at = excluded.last_failure_at,
      unverified_streak = excluded.unverified_streak, last_unverified_at = excluded.last_unverified_at,
      held_as_of = excluded.held_as_of`,
  pullRequest: "update tasks set pr_state = ?, reason = coalesce(reason, ?) where gen = ?",
  counted: "insert into counted_pull_requests (url, task_gen) values (?, ?)",
  activity: `
    insert into activity (id, at, login, action, task_gen, url, detail) values (?, ?, ?, ?, ?, ?, ?)`,
  audit: "insert into audit (at, actor, action, subject, before, after) values (?, ?, ?, ?, ?, ?)",
  setting: "insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
  removeSetting: "delete from settings where name = ?",
  gen: "update counters set value = ? where name = 'gen'",
  isCounted: "select 1 from counted_pull_requests where url = ?",
} as const;

type Who = Pick<Contributor, "login" | "accountId" | "tokenDigest">;

function whoIs({ login, accountId, tokenDigest }: Contributor): Who {
  return { login, accountId, tokenDigest };
}

function isSame(known: Who, row: Contributor): boolean {
  const { login, accountId, tokenDigest } = row;
  return known.login === login && known.accountId === accountId && known.tokenDigest === tokenDigest;
}

function standingValues(row: Contributor): (string | number | null)[] {
  return [
    row.tier,
    row.lastActiveAt ?? null,
    row.grants,
    row.lastGen ?? null,
    row.completed,
    row.verified,
    row.failed,
    row.promotionBase,
    row.streak,
    row.pausedUntil,
    row.id,
  ];
}

function endingValues(ending: Ending): (string | number | null)[] {
  return [
    ending.endedAt,
    ending.outcome,
    ending.reason ?? null,
    ending.verdict ?? null,
    ending.failureKind ?? null,
    ending.permanent === undefined ? null : Number(ending.permanent),
    ending.prUrl ?? null,
    ending.prState,
  ];
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
