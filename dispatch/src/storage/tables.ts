import type { Activity, AuditLine, Ending, Grant } from "../leases/changes.ts";
import type { Contributor } from "../leases/contributor.ts";
import type { ItemRecord } from "../leases/cooldown.ts";
import type { Lease } from "../leases/lease.ts";
import { type Column, column, derived, except, optional, pick, since } from "./columns.ts";

/** A task as stored: its lease, its position among its contributor's assignments, and how it ended. */
export interface Task {
  readonly lease: Lease;
  readonly grant?: Grant | undefined;
  readonly ending?: Ending | undefined;
}

/** The fields that a task's columns are read back into. */
type TaskFields = Lease & Grant & Omit<Ending, "lease">;
const ofTask = column<Task, TaskFields>;
const optionalOfTask = optional<Task, TaskFields>;

const contributors: readonly Column<Contributor>[] = [
  column("id", "text", "id", (one) => one.id),
  column("login", "text", "login", (one) => one.login),
  derived("login_key", "text", ({ login }) => login.toLowerCase()),
  column("token_digest", "text", "tokenDigest", (one) => one.tokenDigest),
  column("tier", "text", "tier", (one) => one.tier),
  column("registered_at", "integer", "registeredAt", (one) => one.registeredAt),
  optional("last_active_at", "integer", "lastActiveAt", (one) => one.lastActiveAt),
  column("grants", "integer", "grants", (one) => one.grants),
  optional("last_gen", "integer", "lastGen", (one) => one.lastGen),
  column("completed", "integer", "completed", (one) => one.completed),
  column("verified", "integer", "verified", (one) => one.verified),
  column("failed", "integer", "failed", (one) => one.failed),
  column("promotion_base", "integer", "promotionBase", (one) => one.promotionBase),
  column("streak", "integer", "streak", (one) => one.streak),
  column("paused_until", "integer", "pausedUntil", (one) => one.pausedUntil),
  optional("account_id", "integer", "accountId", (one) => one.accountId),
];

const tasks: readonly Column<Task>[] = [
  // The generation is the primary key: it is unique per hub and the shortest key available.
  ofTask("gen", "integer", "gen", ({ lease }) => lease.gen),
  ofTask("id", "text", "taskId", ({ lease }) => lease.taskId),
  ofTask("contributor_id", "text", "contributorId", ({ lease }) => lease.contributorId),
  ofTask("grant_number", "integer", "nth", ({ grant }) => grant?.nth ?? 0),
  optionalOfTask("previous_gen", "integer", "previous", ({ grant }) => grant?.previous),
  ofTask("identity", "text", "identity", ({ lease }) => lease.identity),
  ofTask("repo", "text", "repo", ({ lease }) => lease.repo),
  ofTask("number", "integer", "number", ({ lease }) => lease.number),
  ofTask("item_key", "text", "key", ({ lease }) => lease.key),
  ofTask("title", "text", "title", ({ lease }) => lease.title),
  ofTask("url", "text", "url", ({ lease }) => lease.url),
  ofTask("item_updated_at", "integer", "itemUpdatedAt", ({ lease }) => lease.itemUpdatedAt),
  ofTask("assigned_at", "integer", "assignedAt", ({ lease }) => lease.assignedAt),
  optionalOfTask("accepted_at", "integer", "acceptedAt", ({ lease }) => lease.acceptedAt),
  ofTask("expires_at", "integer", "expiresAt", ({ lease }) => lease.expiresAt),
  optionalOfTask("ended_at", "integer", "endedAt", ({ ending }) => ending?.endedAt),
  optionalOfTask("outcome", "text", "outcome", ({ ending }) => ending?.outcome),
  optionalOfTask("reason", "text", "reason", ({ ending }) => ending?.reason),
  optionalOfTask("verdict", "text", "verdict", ({ ending }) => ending?.verdict),
  optionalOfTask("failure_kind", "text", "failureKind", ({ ending }) => ending?.failureKind),
  optionalOfTask("permanent", "integer", "permanent", ({ ending }) =>
    ending?.permanent === undefined ? undefined : Number(ending.permanent),
  ),
  optionalOfTask("pr_url", "text", "prUrl", ({ ending }) => ending?.prUrl),
  optionalOfTask("pr_state", "text", "prState", ({ ending }) => ending?.prState),
  // The connection that holds the task; written only where several replicas share the database.
  optionalOfTask("connection", "text", "connection", ({ lease }) => lease.connection),
  since(
    9,
    optionalOfTask("backend", "text", "backend", ({ lease }) => lease.backend),
  ),
  since(
    9,
    optionalOfTask("waited_ms", "integer", "waitedMs", ({ lease }) => lease.waitedMs),
  ),
  since(
    10,
    optionalOfTask("tier", "text", "tier", ({ lease }) => lease.tier),
  ),
  since(
    10,
    optionalOfTask("model", "text", "model", ({ lease }) => lease.model),
  ),
  since(
    10,
    optionalOfTask("relay_version", "text", "relayVersion", ({ lease }) => lease.relayVersion),
  ),
];

const items: readonly Column<ItemRecord>[] = [
  column("key", "text", "key", (item) => item.key),
  optional("hold_reason", "text", "holdReason", (item) => item.holdReason),
  column("hold_until", "integer", "holdUntil", (item) => item.holdUntil),
  column("failures", "integer", "failures", (item) => item.failures),
  column("last_failure_at", "integer", "lastFailureAt", (item) => item.lastFailureAt),
  column("unverified_streak", "integer", "unverifiedStreak", (item) => item.unverifiedStreak),
  column("last_unverified_at", "integer", "lastUnverifiedAt", (item) => item.lastUnverifiedAt),
  optional("held_as_of", "integer", "heldAsOf", (item) => item.heldAsOf),
];

const activity: readonly Column<Activity>[] = [
  column("id", "integer", "id", (line) => line.id),
  column("at", "integer", "at", (line) => line.at),
  column("login", "text", "login", (line) => line.login),
  column("action", "text", "action", (line) => line.action),
  // The feed's line stores only the task's generation; its other fields are read from the task.
  { ...derived<Activity>("task_gen", "integer", ({ task }) => task?.gen), isOptional: true },
  optional("url", "text", "url", (line) => line.url),
  optional("detail", "text", "detail", (line) => line.detail),
];

const audit: readonly Column<AuditLine>[] = [
  column("at", "integer", "at", (line) => line.at),
  column("actor", "text", "actor", (line) => line.actor),
  column("action", "text", "action", (line) => line.action),
  column("subject", "text", "subject", (line) => line.subject),
  optional("before", "text", "before", ({ before }) => json(before)),
  optional("after", "text", "after", ({ after }) => json(after)),
];

/** The columns of each table that the ledger writes. Only this file names them. */
export const tables = { contributors, tasks, items, activity, audit } as const;

/** The columns that identify a contributor: they rarely change, and indexes cover them. */
export const contributorNames = pick(contributors, "token_digest", "login", "login_key", "account_id");
/** The columns of a contributor that change with every task. */
export const contributorProgress = except(
  contributors,
  "id",
  "registered_at",
  ...contributorNames.map(({ name }) => name),
);
/** The column by which a stored task is found. */
export const taskKey = pick(tasks, "gen");
/** The columns of a task that change while it is worked on. */
export const taskRenewal = pick(tasks, "accepted_at", "expires_at", "connection");
/** The columns of a task that change when it ends. */
export const taskEnding = [
  ...pick(tasks, "accepted_at", "expires_at", "ended_at", "outcome", "reason", "verdict", "failure_kind", "permanent"),
  ...pick(tasks, "pr_url", "pr_state"),
];
/** The columns of a task that are known when it is assigned. */
export const taskGrant = except(
  tasks,
  ...pick(tasks, "ended_at", "outcome", "reason", "verdict", "failure_kind", "permanent", "pr_url", "pr_state").map(
    ({ name }) => name,
  ),
);

/** The columns from which a lease is read back. */
export const leaseColumns = except(taskGrant, "grant_number", "previous_gen");

function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
