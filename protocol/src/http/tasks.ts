import { z } from "zod";
import { tiers } from "../tiers.ts";
import { ActivityEntry, Facet, FleetRelay } from "./contribute.ts";
import { Moment } from "./moment.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

/** One attempt at an issue, as stored. */
export const Attempt = z.object({
  task_id: z.string(),
  task_gen: z.number().int(),
  contributor_id: z.string(),
  github_username: z.string(),
  /** `ended` once nothing can change it any more. */
  status: z.enum(["offered", "in-progress", "away", "ended"]),
  assigned_at: z.string(),
  /** The agent CLI that its relay declared. */
  backend: z.string().optional(),
  /** The contributor's tier when it was given. Like the next two it is absent for tasks of before it was kept. */
  tier: z.string().optional(),
  /** The model that its relay declared. */
  model: z.string().optional(),
  /** The protocol version that its relay declared. */
  relay_version: z.string().optional(),
  ended_at: z.string().optional(),
  outcome: z.string().optional(),
  reason: z.string().optional(),
  verdict: z.string().optional(),
  failure_kind: z.string().optional(),
  permanent: z.boolean().optional(),
  pr_url: z.string().optional(),
  /** `pending`, `verified` or `refused` by the code host; absent without a pull request. */
  pr_state: z.string().optional(),
});
export type Attempt = z.infer<typeof Attempt>;

export const TaskReply = z.object({
  task: Attempt.extend({
    repo: z.string(),
    number: z.number().int(),
    title: z.string(),
    url: z.string(),
    /** The machine that has it, where that has a name. */
    session: z.string().optional(),
    accepted_at: z.string().optional(),
    /** Until when the lease lasts without a further progress report; while it lives. */
    expires_at: z.string().optional(),
    /** What the relay said last of its work. */
    note: z.string().optional(),
  }),
  /** Everything that happened to it, oldest first; at most 500 lines. */
  events: z.array(ActivityEntry),
  /** The other attempts at the same issue, newest first; at most 50. */
  attempts: z.array(Attempt),
  /** The connected relay that has it now. */
  relay: FleetRelay.optional(),
});
export type TaskReply = z.infer<typeof TaskReply>;

export const task = route({
  method: "GET",
  path: "/api/contribute/tasks/:id",
  summary:
    "One task: its lease, everything that happened to it, the other attempts at its issue, the relay that has it",
  access: "anyone",
  reply: TaskReply,
});

/** What the code host says of a task's pull request now. */
export const PullRequestState = z.object({
  /** When it was asked. */
  at: z.string(),
  state: z.enum(["open", "closed", "merged"]).optional(),
  draft: z.boolean().optional(),
  /** The checks that the base branch requires: `none` where it requires none. */
  checks: z.enum(["green", "red", "pending", "none"]).optional(),
  /** Why it could not be read. */
  error: z.string().optional(),
});
export type PullRequestState = z.infer<typeof PullRequestState>;

export const pullRequest = route({
  method: "GET",
  path: "/api/contribute/tasks/:id/pull-request",
  summary:
    "What the code host says now of the pull request that a task named: whether it is open, and its required checks",
  access: "admin",
  scope: "read",
  reply: z.object({
    /** Absent where the task named none, or none of its repository. */
    pull_request: PullRequestState.optional(),
  }),
});

export const OutputReply = z.object({
  /** Whether the one who asks may see what this task's agent prints; false also where there is no such task. */
  allowed: z.boolean(),
  /** Absent where nothing came yet, or it was kept long enough. */
  output: z.object({ at: z.string(), text: z.string() }).optional(),
});
export type OutputReply = z.infer<typeof OutputReply>;

export const output = route({
  method: "GET",
  path: "/api/contribute/tasks/:id/output",
  summary: "What a task's agent printed last, as plain text; for admins and the contributor whose task it is",
  access: "contributor",
  scope: "read",
  reply: OutputReply,
});

/** In place of a value that a task does not have. */
export const UNKNOWN = "unknown";

/** Which tasks of the whole history: texts are found anywhere and in any case, the others are named whole. */
const taskFilter = {
  /** In the name and title; or the whole login of a contributor. */
  q: z.string().max(100).optional(),
  repo: z.string().max(201).optional(),
  /** A login, or an id. */
  contributor: z.string().max(100).optional(),
  /** How it ended: an outcome, or what the agent said of it (`no_work_needed`, `blocked`); `under_way`: not yet. */
  outcome: z.string().max(60).optional(),
  failure_kind: z.string().max(60).optional(),
  backend: z.string().max(100).optional(),
  /** The contributor's tier when it was given, the relay's model, its protocol version; `unknown`: it was not kept, or not declared. */
  tier: z.enum([...tiers, UNKNOWN]).optional(),
  model: z.string().max(100).optional(),
  version: z.string().max(100).optional(),
  /** When it was given. */
  since: Moment.optional(),
  until: Moment.optional(),
} as const;
export const TaskFilter = z.strictObject(taskFilter);
export type TaskFilter = z.infer<typeof TaskFilter>;

export const ListedTask = Attempt.extend({
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
});
export type ListedTask = z.infer<typeof ListedTask>;

/** Tasks that are counted for facets: the newest that were found. */
export const MOST_COUNTED = 5000;
/** How many of the found tasks have which value. */
export const TaskFacets = z.object({
  /** How many tasks were counted; there may be more than that. */
  counted: z.number().int(),
  repo: Facet,
  /** Logins. */
  contributor: Facet,
  outcome: Facet,
  failure_kind: Facet,
  backend: Facet,
  tier: Facet,
  model: Facet,
  version: Facet,
});
export type TaskFacets = z.infer<typeof TaskFacets>;

export const list = route({
  method: "GET",
  path: "/api/contribute/tasks",
  summary:
    "Every task that was ever given, newest first; by issue, contributor, ending, backend, tier, model, relay version and time",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: Cursor.optional(),
    facets: z.enum(["yes"]).optional(),
    ...taskFilter,
  }),
  reply: z.object({
    tasks: z.array(ListedTask),
    /** With facets=yes. */
    facets: TaskFacets.optional(),
    next_cursor: z.string().optional(),
  }),
});

export const exportList = route({
  method: "GET",
  path: "/api/contribute/tasks/export",
  summary: "All tasks that the same filters find, as one file: CSV, or a JSON list; sent as it is read",
  access: "admin",
  scope: "read",
  query: z.strictObject({ format: z.enum(["csv", "json"]).default("csv"), ...taskFilter }),
  produces: "text/csv",
  reply: z.string(),
});
