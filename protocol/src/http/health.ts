import { z } from "zod";
import { route } from "./route.ts";

export const health = route({
  method: "GET",
  path: "/api/health",
  summary: "The HTTP server is up",
  access: "anyone",
  reply: z.object({ status: z.literal("ok") }),
});

export const livez = route({
  method: "GET",
  path: "/api/livez",
  summary: "200 while the process does its work, 503 when it has stalled",
  access: "anyone",
  reply: z.object({ status: z.enum(["ok", "unhealthy"]), detail: z.string().optional() }),
});

/** A check's verdict: `degraded` works with less, `critical` does not do its work. */
export const CheckStatus = z.enum(["ok", "degraded", "critical"]);
export const deepHealth = route({
  method: "GET",
  path: "/api/health/deep",
  summary: "What works and what does not: code host, agents, governor, hub, ledger, backup, disk, each with a sentence",
  access: "member",
  reply: z.object({
    /** The worst of the checks. */
    status: CheckStatus,
    checks: z.record(z.string(), z.object({ status: CheckStatus, detail: z.string() })),
  }),
});
export type DeepHealth = z.infer<typeof deepHealth.reply>;

export const diagnostics = route({
  method: "GET",
  path: "/api/diagnostics",
  summary:
    "A bundle for whoever helps, as a JSON file without secrets: versions, settings, checks, agents, runs, activity",
  access: "owner",
  produces: "application/json",
  reply: z.record(z.string(), z.unknown()),
});
