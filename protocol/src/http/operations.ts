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

export const Hour = z.object({
  from: z.string(),
  assigned: z.number().int(),
  completed: z.number().int(),
  verified: z.number().int(),
  failed: z.number().int(),
});
export type Hour = z.infer<typeof Hour>;
/** How long relays waited from `ready` until they were given a task, in the last hour. */
export const WaitSummary = z.object({
  count: z.number().int(),
  median_ms: z.number(),
  /** Nineteen in twenty waited no longer. */
  slow_ms: z.number(),
});
export type WaitSummary = z.infer<typeof WaitSummary>;
export const history = route({
  method: "GET",
  path: "/api/contribute/metrics",
  summary: "What was done in each of the last 168 hours, oldest first",
  access: "anyone",
  reply: z.object({ hours: z.array(Hour), ready_to_assign: WaitSummary.optional() }),
});
