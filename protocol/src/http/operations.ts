import { z } from "zod";
import { route } from "./route.ts";

export const metrics = route({
  method: "GET",
  path: "/metrics",
  summary: "Prometheus metrics",
  access: "anyone",
  produces: "text/plain",
  reply: z.string(),
});

export const openapi = route({
  method: "GET",
  path: "/api/openapi.json",
  summary: "This description",
  access: "anyone",
  reply: z.record(z.string(), z.unknown()),
});

/** What was done in a period. Each ended task is counted in exactly one of completed, no_work_needed, blocked, failed. */
export const Done = z.object({
  assigned: z.number().int(),
  /** The agent did what the issue asked for; `verified` of them with a pull request that the code host confirmed. */
  completed: z.number().int(),
  no_work_needed: z.number().int(),
  blocked: z.number().int(),
  verified: z.number().int(),
  /** Failed, or out of time. */
  failed: z.number().int(),
});
export type Done = z.infer<typeof Done>;
export const Hour = Done.extend({ from: z.string() });
export type Hour = z.infer<typeof Hour>;
/** How long relays waited from `ready` until they were given a task, in the last hour. */
export const WaitSummary = z.object({
  count: z.number().int(),
  median_ms: z.number(),
  /** The 95th percentile. */
  slow_ms: z.number(),
});
export type WaitSummary = z.infer<typeof WaitSummary>;
export const history = route({
  method: "GET",
  path: "/api/contribute/metrics",
  summary: "What was done in each of the last 168 hours, oldest first, and the sums of a day and of the week",
  access: "anyone",
  reply: z.object({ hours: z.array(Hour), day: Done, week: Done, ready_to_assign: WaitSummary.optional() }),
});
