import { z } from "zod";
import { NestStep, nestRoles } from "../hosted-nest.ts";
import { ClaimNest, CreateNest, Line, Name } from "./create-nest.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

export { ClaimNest, CreateNest } from "./create-nest.ts";
export {
  addCluster,
  Cluster,
  clusters,
  removeCluster,
  setCluster,
  setUser,
  User,
  users,
} from "./hosted-admin.ts";

/** Why a nest differs from what the hub wants of it. */
export const Drift = z.object({
  /** `Deployment nest`, or a word for what is not an object: `heartbeat`, `version`. */
  what: z.string(),
  /** The field, as `spec.replicas`; absent when the whole object is missing. */
  field: z.string().optional(),
  wanted: z.string(),
  found: z.string(),
  since: z.string().optional(),
});
export type Drift = z.infer<typeof Drift>;

/** A nest as its people see it: in a list, and on its page. Holds no secret. */
export const NestRow = z.object({
  id: z.string(),
  owner: z.string(),
  project_name: z.string(),
  org: z.string(),
  repos: z.array(z.string()),
  primary_repo: z.string(),
  acmm_level: z.number().int(),
  status: z.string(),
  error: z.string().optional(),
  created_at: z.string(),
  /** Host name; empty where it has none yet. */
  subdomain: z.string(),
  /** The address of its dashboard. */
  url: z.string().optional(),
  auto_upgrade: z.boolean(),
  is_public: z.boolean(),
  cluster_id: z.string(),
  image: z.string().optional(),
  /** The asker's role; absent for an admin who has none. */
  role: z.enum(nestRoles).optional(),
  /** Heard of within the last 15 minutes. */
  online: z.boolean(),
  last_heartbeat: z.string().optional(),
  version: z.string().optional(),
  agents: z.number().int().optional(),
  mode: z.string().optional(),
  issues: z.number().int().optional(),
  /** People who ask for access. */
  requests: z.number().int(),
  /** What is under way: `upgrade`, `delete`, … */
  operation: z.string().optional(),
  /** In how many ways it differed from what the hub wants when it was looked at last. */
  differences: z.number().int().default(0),
  /** Repositories that a list leaves out of `repos`. */
  more_repos: z.number().int().optional(),
});
export type NestRow = z.infer<typeof NestRow>;

export const NestDetail = NestRow.extend({
  steps: z.array(NestStep),
  /** Place in the cluster's line, from 1; absent when it is not waiting. */
  queue_position: z.number().int().optional(),
  auth_method: z.string().optional(),
  app_id: z.string().optional(),
  installation_id: z.string().optional(),
  namespace: z.string(),
  drift: z.array(Drift),
  revision: z.number().int(),
});
export type NestDetail = z.infer<typeof NestDetail>;

const Ok = z.object({ id: z.string(), status: z.string() });
const BODY = 128 * 1024;

export const create = route({
  method: "POST",
  path: "/api/saas/nests",
  summary: "Create a nest; its steps are told at …/events",
  access: "signed-in",
  bodyLimit: BODY,
  body: CreateNest,
  reply: Ok.extend({ subdomain: z.string(), manual_steps: z.string().optional() }),
});

export const mine = route({
  method: "GET",
  path: "/api/saas/my-nests",
  summary: "The nests of whoever asks: their own, those they have a role on, all for an admin",
  access: "signed-in",
  scope: "read",
  query: z.strictObject({
    q: z.string().max(100).optional(),
    status: z.string().max(60).optional(),
    cluster: z.string().max(100).optional(),
    /** `offline`: running, and not heard of; `differs`: not as the hub wants it. */
    only: z.enum(["offline", "differs"]).optional(),
    sort: z.enum(["name", "created", "status", "heartbeat"]).default("name"),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: Cursor.optional(),
  }),
  reply: z.object({
    nests: z.array(NestRow),
    next_cursor: z.string().optional(),
    /** All that match, on every page. */
    matched: z.number().int(),
    total: z.number().int(),
    /** Of those that match in everything but the status: how many stand where. */
    by_status: z.record(z.string(), z.number().int()),
    is_admin: z.boolean(),
    /** Absent: unlimited. */
    saas_quota: z.number().int().optional(),
    saas_used: z.number().int(),
  }),
});

export const read = route({
  method: "GET",
  path: "/api/saas/nests/:id",
  summary: "One nest with its steps and what differs from what the hub wants",
  access: "signed-in",
  scope: "read",
  reply: NestDetail,
});

export const status = route({
  method: "GET",
  path: "/api/saas/nests/:id/status",
  summary: "Where a nest stands",
  access: "signed-in",
  scope: "read",
  reply: z.object({
    id: z.string(),
    status: z.string(),
    error: z.string().optional(),
    steps: z.array(NestStep),
    queue_position: z.number().int().optional(),
  }),
});

/** What `…/events` sends: `nest` whenever the record changes, `heartbeat` every ten seconds, `gone` when it was deleted. */
export const nestEvents = {
  nest: NestDetail,
  heartbeat: z.object({ at: z.string() }),
  gone: z.object({ id: z.string() }),
} as const;

export const compare = route({
  method: "POST",
  path: "/api/saas/nests/:id/compare",
  summary: "Look now in what a nest differs from what the hub wants",
  access: "signed-in",
  scope: "read",
  reply: z.object({ id: z.string(), drift: z.array(Drift) }),
});

export const events = route({
  method: "GET",
  path: "/api/saas/nests/:id/events",
  summary: "A nest's steps as they happen (server-sent events)",
  access: "signed-in",
  scope: "read",
  produces: "text/event-stream",
  reply: z.string(),
});

export const manifests = route({
  method: "GET",
  path: "/api/saas/nests/:id/manifests",
  summary: "The objects of a nest as YAML, without secrets, for whoever applies them by hand",
  access: "signed-in",
  produces: "application/yaml",
  reply: z.string(),
});

export const remove = route({
  method: "DELETE",
  path: "/api/saas/nests/:id",
  summary: "Delete a nest with its namespace and data; confirm repeats its id",
  access: "signed-in",
  query: z.strictObject({ confirm: z.string().max(100).optional() }),
  /** What somebody has to remove by hand, on a cluster that the hub does not touch. */
  reply: Ok.extend({ leftovers: z.array(z.string()) }),
});

export const upgrade = route({
  method: "POST",
  path: "/api/saas/nests/:id/upgrade",
  summary: "Bring the newest image of the nest's channel, or the one named",
  access: "signed-in",
  scope: "operate",
  body: z.strictObject({ image: z.string().max(500).optional() }).prefault({}),
  reply: Ok,
});
export const pause = route({
  method: "POST",
  path: "/api/saas/nests/:id/pause",
  summary: "Scale to 0 and keep the data",
  access: "signed-in",
  scope: "operate",
  reply: Ok,
});
export const resume = route({
  method: "POST",
  path: "/api/saas/nests/:id/resume",
  summary: "Scale to 1 again",
  access: "signed-in",
  scope: "operate",
  reply: Ok,
});
export const retry = route({
  method: "POST",
  path: "/api/saas/nests/:id/retry",
  summary: "Take up the steps again after an error, or repair what differs",
  access: "signed-in",
  scope: "operate",
  reply: Ok,
});
export const claim = route({
  method: "POST",
  path: "/api/saas/nests/:id/claim",
  summary: "Give a placeholder to an owner and a project",
  access: "admin",
  scope: "people",
  bodyLimit: BODY,
  body: ClaimNest,
  reply: Ok.extend({ subdomain: z.string() }),
});
export const migrate = route({
  method: "POST",
  path: "/api/saas/nests/:id/migrate",
  summary: "Move a nest to another cluster, or adopt it where it is; the old one goes only when the data has arrived",
  access: "admin",
  scope: "configure",
  body: z.strictObject({ cluster_id: z.string().min(1).max(100), adopt: z.boolean().default(false) }),
  reply: Ok,
});

export const open = route({
  method: "GET",
  path: "/api/saas/nests/:id/open",
  summary: "Leads a browser to a nest: by way of signing in, and with a pass for that nest alone",
  access: "anyone",
  query: z.looseObject({ to: z.string().max(2000).optional(), rd: z.string().max(2000).optional() }),
  produces: "text/html",
  reply: z.string(),
});

export const setAutoUpgrade = route({
  method: "PUT",
  path: "/api/saas/nests/:id/auto-upgrade",
  summary: "Whether the nest follows its channel by itself",
  access: "signed-in",
  body: z.strictObject({ auto_upgrade: z.boolean() }),
  reply: Ok.extend({ auto_upgrade: z.boolean() }),
});
export const setVisibility = route({
  method: "PUT",
  path: "/api/saas/nests/:id/visibility",
  summary: "Whether everybody sees that the nest exists",
  access: "signed-in",
  body: z.strictObject({ is_public: z.boolean() }),
  reply: Ok.extend({ is_public: z.boolean() }),
});
export const setName = route({
  method: "PUT",
  path: "/api/saas/nests/:id/name",
  summary: "The name that people read",
  access: "signed-in",
  body: z.strictObject({ project_name: Line.min(1, "required") }),
  reply: Ok.extend({ project_name: z.string() }),
});

const Role = z.enum(nestRoles);
const Access = z.object({
  access: z.array(z.object({ username: z.string(), role: Role })),
  requests: z.array(z.object({ username: z.string(), at: z.string() })),
});
export const access = route({
  method: "GET",
  path: "/api/saas/nests/:id/access",
  summary: "Who has which role, and who asks for one",
  access: "signed-in",
  reply: Access,
});
export const grant = route({
  method: "POST",
  path: "/api/saas/nests/:id/access",
  summary: "Give somebody a role below one's own; only an admin makes a second owner",
  access: "signed-in",
  body: z.strictObject({ username: Name, role: Role }),
  reply: z.object({ status: z.literal("granted"), username: z.string(), role: Role }),
});
export const revoke = route({
  method: "DELETE",
  path: "/api/saas/nests/:id/access/:username",
  summary: "Take somebody's role away; the last owner stays",
  access: "signed-in",
  reply: z.object({ status: z.literal("revoked"), username: z.string() }),
});
export const requestAccess = route({
  method: "POST",
  path: "/api/saas/nests/:id/request-access",
  summary: "Ask the owners of a nest for access",
  access: "signed-in",
  reply: z.object({ status: z.literal("requested") }),
});
export const denyRequest = route({
  method: "DELETE",
  path: "/api/saas/nests/:id/requests/:username",
  summary: "Turn a request for access down",
  access: "signed-in",
  reply: z.object({ status: z.literal("denied") }),
});

export const authCheck = route({
  method: "GET",
  path: "/api/saas/auth-check",
  summary: "Asked by the ingress for every request to a nest: 200 with X-Nest-User and X-Nest-Role, 401 or 403",
  access: "ingress",
  query: z.looseObject({ nest: z.string().max(100).optional(), uri: z.string().max(8000).optional() }),
  reply: z.object({ ok: z.literal(true) }),
});

/** Whether upgrades by themselves are stopped, by whom, since when and why. */
export const UpgradePause = z.object({
  paused: z.boolean(),
  by: z.string().optional(),
  at: z.string().optional(),
  note: z.string().optional(),
});
export type UpgradePause = z.infer<typeof UpgradePause>;

/** Everything the admin page of nests switches at once. */
export const upgradePause = route({
  method: "GET",
  path: "/api/saas/upgrade-pause",
  summary: "Whether nests upgrade by themselves",
  access: "admin",
  scope: "read",
  reply: UpgradePause,
});
export const setUpgradePause = route({
  method: "POST",
  path: "/api/saas/upgrade-pause",
  summary: "Stop upgrades of all nests, or let them go on",
  access: "admin",
  scope: "operate",
  body: z.strictObject({ paused: z.boolean(), note: z.string().trim().min(1).max(300).optional() }),
  reply: z.object({ paused: z.boolean() }),
});
