import { z } from "zod";
import { NestAgent } from "./nest-agents.ts";
import { Run } from "./nest-runs.ts";
import { GovernorStatus } from "./nest-work.ts";
import { Paging } from "./paging.ts";
import { route } from "./route.ts";
import { StreamHeartbeat } from "./stream.ts";

/** A line of a nest's activity: what happened to an agent, a run, the queue or the link to the hub. */
export const NestActivity = z.object({
  at: z.string(),
  action: z.string(),
  agent: z.string().optional(),
  issue: z.string().optional(),
  url: z.string().optional(),
  detail: z.string().optional(),
  run_id: z.string().optional(),
});
export type NestActivity = z.infer<typeof NestActivity>;

export const activity = route({
  method: "GET",
  path: "/api/activity",
  summary: "What happened on this nest, newest first",
  access: "member",
  query: Paging.extend({ agent: z.string().max(100).optional() }),
  reply: z.object({ activity: z.array(NestActivity), next_cursor: z.string().optional() }),
});

/** What `GET /api/events` sends, by name. `hello` comes first; a reader passes over names that it does not know. */
export const events = {
  hello: z.object({ governor: GovernorStatus, agents: z.array(NestAgent), activity: z.array(NestActivity) }),
  governor: GovernorStatus,
  /** One agent that changed. */
  agent: NestAgent,
  /** An agent that was removed. */
  agent_gone: z.object({ name: z.string() }),
  run: Run,
  activity: NestActivity,
  heartbeat: StreamHeartbeat,
} as const;

export const eventStream = route({
  method: "GET",
  path: "/api/events",
  summary: "Everything that changes, as server-sent events",
  access: "member",
  produces: "text/event-stream",
  reply: z.string(),
});

/** An entry of the audit: who did what, with the values on either side. */
export const NestAuditLine = z.object({
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string().optional(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type NestAuditLine = z.infer<typeof NestAuditLine>;

export const audit = route({
  method: "GET",
  path: "/api/audit",
  summary: "Who changed what on this nest, newest first",
  access: "operator",
  query: Paging.extend({ actor: z.string().max(100).optional(), action: z.string().max(100).optional() }),
  reply: z.object({ entries: z.array(NestAuditLine), next_cursor: z.string().optional() }),
});
