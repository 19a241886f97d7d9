import { z } from "zod";
import { Heartbeat } from "../heartbeat.ts";
import { OptionalPaging } from "./paging.ts";
import { route } from "./route.ts";

export const heartbeat = route({
  method: "POST",
  path: "/api/heartbeat",
  summary: "A spoke says that it lives; bearer = the hub's secret, else 401 in plain text",
  access: "spoke",
  bodyLimit: 1024 * 1024,
  body: Heartbeat,
  reply: z.object({ ok: z.literal(true) }),
});

export const registry = route({
  method: "GET",
  path: "/api/registry",
  summary: "Public spokes, with whether each was heard of in the last 15 minutes",
  access: "anyone",
  query: OptionalPaging,
  reply: z.object({
    nests: z.array(z.looseObject({ id: z.string(), online: z.boolean(), lastHeartbeat: z.string() })),
    next_cursor: z.string().optional(),
  }),
});

/** Why a nest is not online, as far as the hub can tell. */
export const Offline = z.object({
  id: z.string(),
  /** `paused`: it is online and every agent of it is paused. */
  state: z.enum(["online", "paused", "stale", "rejected", "never_seen"]),
  /** A sentence for people: what is known, and what to look at. */
  because: z.string(),
  last_heartbeat: z.string().optional(),
  /** Heartbeats that named this nest and were refused, since the hub started. */
  rejected: z.number().int(),
  last_rejected: z.string().optional(),
});
export type Offline = z.infer<typeof Offline>;
export const explainOffline = route({
  method: "GET",
  path: "/api/registry/:id/offline",
  summary: "Why a nest is not online: never heard of, refused, silent or paused",
  access: "admin",
  scope: "read",
  reply: Offline,
});

export const stats = route({
  method: "GET",
  path: "/api/hub/stats",
  summary: "The hub in numbers",
  access: "anyone",
  reply: z.object({
    nests: z.number().int(),
    online: z.number().int(),
    agents: z.number().int(),
    contributors: z.number().int(),
    active_contributors: z.number().int(),
    repositories: z.number().int(),
    issues: z.number().int(),
    actionable_items: z.number().int(),
    in_flight: z.number().int(),
    tasks_completed: z.number().int(),
    prs: z.number().int(),
  }),
});
