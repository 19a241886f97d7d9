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
