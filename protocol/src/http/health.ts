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
