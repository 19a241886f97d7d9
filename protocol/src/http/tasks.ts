import { z } from "zod";
import { ActivityEntry, FleetRelay } from "./contribute.ts";
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
