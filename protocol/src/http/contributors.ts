import { z } from "zod";
import { assignableRoles, delegatableRoles } from "../roles.ts";
import { tiers } from "../tiers.ts";
import { OwnLimits } from "./contribute.ts";
import { Moment } from "./moment.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

/** An admin's pause, as lists show it. */
export const PauseNote = z.object({ note: z.string(), until: z.string().optional(), by: z.string() });
export type PauseNote = z.infer<typeof PauseNote>;

export const ContributorRow = z.object({
  contributor_id: z.string(),
  github_username: z.string(),
  trust_tier: z.enum(tiers),
  registered_at: z.string(),
  last_active: z.string().optional(),
  total_tasks_completed: z.number().int(),
  total_tasks_completed_with_pr: z.number().int(),
  total_tasks_failed: z.number().int(),
  active: z.boolean(),
  /** Tasks given in the last 24 hours, counted in whole hours. */
  assigned_day: z.number().int(),
  current_task: z.string().optional(),
  assigned_agent_role: z.string().optional(),
  agent_role_grants: z.array(z.string()),
  /** No work until this time, because of three quick failures in a row. */
  paused_until: z.string().optional(),
  /** No work, because an admin said so. */
  pause: PauseNote.optional(),
});
export type ContributorRow = z.infer<typeof ContributorRow>;

/** The keys that a list of contributors can be sorted by. */
export const contributorSorts = [
  "registered",
  "login",
  "tier",
  "verified",
  "completed",
  "failed",
  "last_active",
] as const;
export type ContributorSort = (typeof contributorSorts)[number];

export const contributors = route({
  method: "GET",
  path: "/api/contributors",
  summary: "Every contributor with their standing; sorted by registration, oldest first, unless said otherwise",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: Cursor.optional(),
    q: z.string().max(100).optional(),
    tier: z.enum(tiers).optional(),
    sort: z.enum(contributorSorts).default("registered"),
    direction: z.enum(["up", "down"]).default("up"),
  }),
  reply: z.object({
    contributors: z.array(ContributorRow),
    /** How many there are on all pages together. */
    matching: z.number().int(),
    next_cursor: z.string().optional(),
  }),
});

export const ContributorTask = z.object({
  task_id: z.string(),
  task_gen: z.number().int(),
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  assigned_at: z.string(),
  ended_at: z.string().optional(),
  outcome: z.string().optional(),
  reason: z.string().optional(),
  verdict: z.string().optional(),
  failure_kind: z.string().optional(),
  pr_url: z.string().optional(),
  /** `pending`, `verified` or `refused` by the code host; absent without a pull request. */
  pr_state: z.string().optional(),
});
export type ContributorTask = z.infer<typeof ContributorTask>;
/** The longest message to a contributor. */
export const LONGEST_MESSAGE = 500;

/** What an admin wrote to a contributor. */
export const Message = z.object({
  at: z.string(),
  by: z.string(),
  text: z.string(),
  /** The task that it is about. */
  task_id: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

export const contributor = route({
  method: "GET",
  path: "/api/contributors/:id",
  summary: "One contributor (by id or login) with the tasks they were given, newest first",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: Cursor.optional(),
  }),
  reply: z.object({
    contributor: ContributorRow,
    /** How much of their tier's limits they have used; absent when revoked. */
    limits: OwnLimits.optional(),
    /** What admins wrote to them, newest first. */
    messages: z.array(Message).default([]),
    history: z.array(ContributorTask),
    next_cursor: z.string().optional(),
  }),
});

export const setAgentRole = route({
  method: "PUT",
  path: "/api/contributors/:id/agent-role",
  summary: "Set the delegated role of a contributor's relays; none = general work, null = what the relay asks for",
  access: "admin",
  scope: "configure",
  body: z.strictObject({ agent_role: z.enum(assignableRoles).nullable() }),
  reply: z.object({ ok: z.literal(true), agent_role: z.string().nullable() }),
});

export const setAgentRoleGrants = route({
  method: "PUT",
  path: "/api/contributors/:id/agent-role-grants",
  summary: "Open roles to a contributor personally, so that their relay may ask for them",
  access: "admin",
  scope: "configure",
  body: z.strictObject({ agent_role_grants: z.array(z.enum(delegatableRoles)).max(delegatableRoles.length) }),
  reply: z.object({ ok: z.literal(true), agent_role_grants: z.array(z.string()) }),
});

export const setTrust = route({
  method: "PUT",
  path: "/api/contributors/:id/trust",
  summary: "Promote or demote a contributor",
  access: "admin",
  scope: "configure",
  body: z.strictObject({ tier: z.enum(tiers) }),
  reply: z.object({ ok: z.literal(true), trust_tier: z.enum(tiers) }),
});

export const revoke = route({
  method: "POST",
  path: "/api/contributors/:id/revoke",
  summary: "Revoke a contributor's access: live sockets close, held tasks are released",
  access: "admin",
  scope: "operate",
  reply: z.object({ ok: z.literal(true) }),
});

export const unrevoke = route({
  method: "POST",
  path: "/api/contributors/:id/unrevoke",
  summary: "Give somebody who was revoked access again, as a newcomer; the reason is audited and told to them",
  access: "admin",
  scope: "configure",
  body: z.strictObject({ reason: z.string().trim().min(1, "say why").max(500) }),
  reply: z.object({ ok: z.literal(true), trust_tier: z.enum(tiers) }),
});

export const endFailurePause = route({
  method: "POST",
  path: "/api/contributors/:id/end-failure-pause",
  summary: "End the pause that a contributor's quick failures in a row brought; the count of them begins anew",
  access: "admin",
  scope: "operate",
  reply: z.object({ ok: z.literal(true) }),
});

export const sendMessage = route({
  method: "POST",
  path: "/api/contributors/:id/message",
  summary:
    "Write to a contributor: told to the relay that has the task, or to all of theirs that are connected, and shown to them on /me",
  access: "admin",
  scope: "operate",
  body: z.strictObject({
    text: z.string().trim().min(1, "write something").max(LONGEST_MESSAGE),
    task_id: z.string().max(256).optional(),
  }),
  reply: z.object({ ok: z.literal(true), message: Message }),
});

export const requeue = route({
  method: "POST",
  path: "/api/contributors/:id/requeue",
  summary: "Take back what a contributor holds; the issue waits ten minutes and nothing is counted",
  access: "admin",
  scope: "operate",
  body: z
    .strictObject({
      reason: z.string().max(200).optional(),
      task_id: z.string().max(256).optional(),
      session: z.string().max(64).optional(),
    })
    .optional(),
  reply: z.object({ ok: z.literal(true), released: z.array(z.string()) }),
});

export const disconnect = route({
  method: "POST",
  path: "/api/contributors/:id/disconnect",
  summary: "Cut one connection of a contributor's; the relay comes back by itself and goes on with what it holds",
  access: "admin",
  scope: "operate",
  body: z.strictObject({ connection_id: z.string().regex(/^[\w.-]{1,100}$/, "not a connection's id") }),
  reply: z.object({ ok: z.literal(true) }),
});

export const AuditEntry = z.object({
  id: z.number().int(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
/** Which entries of the audit: texts are found anywhere in their field, in any case; an action is named whole. */
const auditFilter = {
  q: z.string().max(100).optional(),
  actor: z.string().max(100).optional(),
  action: z.string().max(60).optional(),
  subject: z.string().max(200).optional(),
  since: Moment.optional(),
  until: Moment.optional(),
} as const;
export const AuditFilter = z.strictObject(auditFilter);
export type AuditFilter = z.infer<typeof AuditFilter>;

export const audit = route({
  method: "GET",
  path: "/api/audit",
  summary: "Who changed what, with old and new values, newest first; by person, action, subject and time",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: Cursor.optional(),
    ...auditFilter,
  }),
  reply: z.object({ audit: z.array(AuditEntry), next_cursor: z.string().optional() }),
});

export const exportAudit = route({
  method: "GET",
  path: "/api/audit/export",
  summary: "All entries of the audit that the same filters find, as one file: CSV, or a JSON list; sent as it is read",
  access: "admin",
  scope: "read",
  query: z.strictObject({ format: z.enum(["csv", "json"]).default("csv"), ...auditFilter }),
  produces: "text/csv",
  reply: z.string(),
});
