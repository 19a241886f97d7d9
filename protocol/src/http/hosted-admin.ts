import { z } from "zod";
import { ClusterRecord } from "../hosted-nest.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

// What admins look after beside the nests: users and clusters.

export const User = z.object({
  github_username: z.string(),
  created_at: z.string().optional(),
  last_login: z.string().optional(),
  nests: z.record(z.string(), z.string()),
  saas_quota: z.number().int().optional(),
  saas_used: z.number().int(),
  blocked: z.boolean(),
  is_admin: z.boolean(),
});
export type User = z.infer<typeof User>;
export const users = route({
  method: "GET",
  path: "/api/saas/users",
  summary: "Everybody who has signed in",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    q: z.string().max(100).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: Cursor.optional(),
  }),
  reply: z.object({ users: z.array(User), next_cursor: z.string().optional(), matched: z.number().int() }),
});
export const setUser = route({
  method: "PUT",
  path: "/api/saas/users/:login",
  summary: "Quota and block of somebody; null: as many nests as they like",
  access: "admin",
  scope: "configure",
  body: z.strictObject({
    saas_quota: z.number().int().min(0).max(10_000).nullable().optional(),
    blocked: z.boolean().optional(),
  }),
  reply: User,
});

export const Cluster = ClusterRecord.extend({
  /** Whether the hub works on it itself, and why not if it does not. */
  reachable: z.enum(["yes", "no", "pull_only", "incomplete", "unknown"]),
  because: z.string().optional(),
  version: z.string().optional(),
  nests: z.number().int(),
  available: z.number().int(),
});
export type Cluster = z.infer<typeof Cluster>;
export const clusters = route({
  method: "GET",
  path: "/api/saas/clusters",
  summary: "The clusters on which nests can live",
  access: "signed-in",
  scope: "read",
  reply: z.object({ clusters: z.array(Cluster) }),
});
export const addCluster = route({
  method: "POST",
  path: "/api/saas/clusters",
  summary: "Add a cluster",
  access: "admin",
  scope: "configure",
  body: ClusterRecord,
  reply: Cluster,
});
export const setCluster = route({
  method: "PUT",
  path: "/api/saas/clusters/:id",
  summary: "Change a cluster; keys that are absent stay, null takes one away",
  access: "admin",
  scope: "configure",
  body: z.record(z.string(), z.unknown()),
  reply: Cluster,
});
export const removeCluster = route({
  method: "DELETE",
  path: "/api/saas/clusters/:id",
  summary: "Forget a cluster that has no nest left",
  access: "admin",
  scope: "configure",
  reply: z.object({ status: z.literal("removed") }),
});
