import { z } from "zod";

const seq = z.number().optional().catch(undefined);
const note = z.string().optional().catch(undefined);
const names = z.array(z.string()).optional().catch(undefined);
const TaskId = z.string().min(1).max(256);
/** A generation beyond 2^53 - 1 is malformed: relays hold numbers as doubles, which are exact only up to there. */
const TaskGen = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

const count = z.number().int().nonnegative();
/** How much of their tier's limits a contributor has used: tasks of the last hour and day, tasks held; a limit of 0 = unlimited. */
export const OwnLimitsLeft = z.object({
  used_hour: count,
  used_day: count,
  held: count,
  max_per_hour: count,
  max_per_day: count,
  max_concurrent: count,
});
export type OwnLimitsLeft = z.infer<typeof OwnLimitsLeft>;
const limits = OwnLimitsLeft.optional().catch(undefined);

export const AuthChallenge = z.object({
  type: z.literal("auth_challenge"),
  seq,
  nonce: z.string(),
  server_capabilities: names,
});

export const AuthOk = z.object({
  type: z.literal("auth_ok"),
  seq,
  contributor_id: z.string(),
  trust_tier: note,
  permissions: names,
  role: note,
  protocol_version: note,
  server_capabilities: names,
  connection_id: note,
  max_message_bytes: z.number().int().positive().optional().catch(undefined),
  limits,
});

export const AuthFailed = z.object({ type: z.literal("auth_failed"), seq, reason: z.string(), accepted_models: names });

export const TaskAssign = z.object({
  type: z.literal("task_assign"),
  seq,
  task_id: TaskId,
  /** Missing at hubs from before generations: then no report carries one. */
  task_gen: TaskGen.optional(),
  kind: z.string().optional().catch(undefined),
  repo: z.string().min(1).max(256),
  number: z.number().int().nonnegative(),
  title: z.string().catch(""),
  url: z.string().catch(""),
  labels: z.array(z.string()).catch([]),
  prompt: z.string().catch(""),
  role: note,
});

/** The short-lived code-host credential of one task; sent after the task was accepted, never within `task_assign`. */
export const TokenRefresh = z.object({
  type: z.literal("token_refresh"),
  seq,
  github_token: z.string().min(1),
  token_expires_at: note,
  /** The permissions of this token, if the tier has changed since `auth_ok`. */
  permissions: names,
});

/**
 * The hub could not make or renew the credential of a task; the reason is for people. This hub names the task; a hub of 1.4
 * does not, and means the current one. A relay that waits for the first credential stops waiting.
 */
export const TokenRefreshFailed = z.object({
  type: z.literal("token_refresh_failed"),
  seq,
  task_id: TaskId.optional(),
  reason: z.string().catch(""),
});

export const TaskRevoke = z.object({ type: z.literal("task_revoke"), seq, task_id: TaskId, reason: note });

export const TaskUnavailable = z.object({
  type: z.literal("task_unavailable"),
  seq,
  reason: z.string(),
  message: note,
  retry_after_s: z.number().nonnegative().optional().catch(undefined),
  withheld: z.record(z.string(), z.number()).optional().catch(undefined),
  limits,
});

/** Answers every terminal report, duplicates and stale ones included, so a relay can empty its outbox. */
export const TaskAck = z.object({ type: z.literal("task_ack"), seq, task_id: TaskId, task_gen: z.number() });

export const Notice = z.object({
  type: z.literal("notice"),
  seq,
  message: note,
  /** The contributor's tier now and what a credential of it may do, where that has changed since `auth_ok`. */
  trust_tier: note,
  permissions: names,
});
export const HubPing = z.object({ type: z.literal("ping"), seq });
export const HubPong = z.object({ type: z.literal("pong"), seq });

/** Everything a hub says to a relay. */
export const HubMessage = z.discriminatedUnion("type", [
  AuthChallenge,
  AuthOk,
  AuthFailed,
  TaskAssign,
  TokenRefresh,
  TokenRefreshFailed,
  TaskRevoke,
  TaskUnavailable,
  TaskAck,
  Notice,
  HubPing,
  HubPong,
]);
export type HubMessage = z.infer<typeof HubMessage>;

/** The exact text of a refused resume: relays of every release compare it. */
export const NO_ACTIVE_LEASE = "no active lease for this task";

/** The failure reason of a relay that is stopped while it holds a task. The hub treats it like a lost connection. */
export const RELAY_STOPPED = "relay stopped";

/** Extensions of the protocol, announced by name; they change nothing for a peer that lacks them (docs/protocol.md). */
export const additions = [
  "task_ack",
  "auth_proof",
  "task_declined",
  "withheld_counts",
  "task_push",
  "limits_left",
] as const;
export type Addition = (typeof additions)[number];
