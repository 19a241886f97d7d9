import { z } from "zod";
import { tiers } from "../tiers.ts";
import { Moment } from "./moment.ts";
import { OptionalPaging, Paging } from "./paging.ts";
import { route } from "./route.ts";

export const RegisterRequest = z.object({
  github_username: z
    .string()
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-_.]{0,37}[A-Za-z0-9])?(?:\[bot\])?$/, "not a login of the code host")
    .refine((name) => !reservedLogins.has(name.toLowerCase()), "this login is reserved"),
  force: z.unknown().optional(),
  invite: z.unknown().optional(),
});
const reservedLogins = new Set([
  "null",
  "undefined",
  "true",
  "false",
  "admin",
  "root",
  "system",
  "nest",
  "hive",
  "api",
  "contribute",
  "leaderboard",
]);

export const RegisterReply = z.object({
  contributor_id: z.string(),
  registration_token: z.string().optional(),
  message: z.string(),
});
export const register = route({
  method: "POST",
  path: "/api/contribute/register",
  summary: "Register as a contributor; the registration token is shown once",
  access: "anyone",
  body: RegisterRequest,
  reply: RegisterReply,
});

export const reissueToken = route({
  method: "POST",
  path: "/api/contribute/reissue-token",
  summary: "A new registration token for a known contributor, against proof of the login",
  access: "anyone",
  reply: RegisterReply,
});

/** A pause as everybody may see it: why, and until when where that is known; admins also see whose it is. */
const PublicPause = z.object({ note: z.string(), until: z.string().optional(), by: z.string().optional() });

export const StatusReply = z.object({
  hub: z.literal("online"),
  active_contributors: z.number().int(),
  total_registered: z.number().int(),
  /** What a `ready` could be given now: after filters, claims, holds, leases and cooldowns. */
  actionable_items: z.number().int(),
  /** Open issues known, before anything is withheld. */
  total_items: z.number().int(),
  withheld: z.record(z.string(), z.number().int()),
  /** How many issues operators pinned to the front of the queue, whether they wait or not; for operators only. */
  pinned: z.number().int().optional(),
  suspended: z.boolean(),
  /** Nobody is given work, because an operator paused everybody. */
  pause: PublicPause.optional(),
  /** The operators' announcement to everybody; absent when there is none. */
  announcement: z.string().optional(),
  in_flight: z.number().int(),
  /** Tasks completed in the last 24 hours, as `GET /api/contribute/metrics` counts them. */
  completed_day: z.number().int(),
  /** The web address of the code host: what relays say of its pages can be made links of. */
  code_host: z.string().optional(),
  surface: z.literal("hub"),
  api_version: z.string(),
  repositories: z.array(
    z.object({
      repo: z.string(),
      state: z.enum(["ready", "scanning", "failing"]),
      issues: z.number().int(),
      error: z.string().optional(),
      /** None of its issues is offered, because an operator said so. */
      pause: PublicPause.optional(),
    }),
  ),
  /** Changes whenever an admin changes the queue configuration, the order of the queue, or who and what is paused. */
  revision: z.string(),
});
export type StatusReply = z.infer<typeof StatusReply>;
export const status = route({
  method: "GET",
  path: "/api/contribute/status",
  summary: "Queue depth and who is at work",
  access: "anyone",
  reply: StatusReply,
});

export const QueueItem = z.object({
  key: z.string(),
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  labels: z.array(z.string()),
  author: z.string(),
  updated_at: z.string(),
  /** Pinned to the front of the queue by an operator. */
  ordered: z.boolean().optional(),
  /** True when an operator holds it back, even if something else withholds it too. */
  held: z.boolean().optional(),
  held_reason: z.string().optional(),
  /** Absent: it is offered now. `because` is the reason in words. */
  withheld: z
    .object({
      reason: z.string(),
      because: z.string(),
      until: z.string().optional(),
      detail: z.string().optional(),
      /** The operator whose doing it is; for admins. */
      by: z.string().optional(),
    })
    .optional(),
});
export type QueueItem = z.infer<typeof QueueItem>;
/** How many of what was found have which value: the fifty most frequent ones. */
export const Facet = z.array(z.object({ name: z.string(), count: z.number().int() }));
/** Which issues: texts are found anywhere and in any case, a repository, label and author are named whole. */
const queueFilter = {
  with: z.enum(["withheld"]).optional(),
  reason: z.string().max(60).optional(),
  /** In name, title, labels and the author's login. */
  q: z.string().max(200).optional(),
  repo: z.string().max(201).optional(),
  label: z.string().max(200).optional(),
  author: z.string().max(100).optional(),
  /** When the issue was changed last. */
  since: Moment.optional(),
  until: Moment.optional(),
} as const;
export const QueueFilter = z.strictObject(queueFilter);
export type QueueFilter = z.infer<typeof QueueFilter>;

export const QueueReply = z.object({
  queue: z.array(QueueItem),
  actionable_items: z.number().int(),
  withheld: z.record(z.string(), z.number().int()),
  /** The same reasons in words. */
  withheld_because: z.record(z.string(), z.string()),
  /** How many issues are left out because they belong to private repositories that the caller may not see. */
  hidden: z.number().int(),
  /** How many there are on all pages together. */
  matching: z.number().int(),
  /** With facets=yes. */
  facets: z.object({ repo: Facet, label: Facet, author: Facet, reason: Facet }).optional(),
  next_cursor: z.string().optional(),
});
export type QueueReply = z.infer<typeof QueueReply>;
export const queue = route({
  method: "GET",
  path: "/api/contribute/queue",
  summary:
    "Issues on offer, in the order they are handed out; with=withheld adds those that are not, and why; reason= only those withheld for it; by text, repository, label, author and last change",
  access: "anyone",
  query: Paging.extend({ ...queueFilter, facets: z.enum(["yes"]).optional() }),
  reply: QueueReply,
});

export const exportQueue = route({
  method: "GET",
  path: "/api/contribute/queue/export",
  summary: "All issues that the same filters find, as one file: CSV, or a JSON list",
  access: "admin",
  scope: "read",
  query: z.strictObject({ format: z.enum(["csv", "json"]).default("csv"), ...queueFilter }),
  produces: "text/csv",
  reply: z.string(),
});

export const FleetRelay = z.object({
  contributor_id: z.string(),
  github_username: z.string(),
  connection_id: z.string(),
  trust_tier: z.enum(tiers),
  cli_backend: z.string().optional(),
  model: z.string().optional(),
  /** The delegated role the relay works in: decided from `client_role` (its wish) and `assigned_agent_role` (an owner's setting). */
  role: z.string().optional(),
  client_role: z.string().optional(),
  assigned_agent_role: z.string().optional(),
  role_mismatch: z.boolean().optional(),
  session: z.string().optional(),
  capabilities: z.record(z.string(), z.string()),
  protocol: z.object({ declared: z.string().optional(), verdict: z.string() }),
  connected_at: z.string(),
  last_activity: z.string(),
  current_task: z.string().optional(),
  idle_reason: z.string().optional(),
  /** The widest pause by an admin that keeps it from work: of everybody, of its contributor, or of this relay alone. */
  pause: z.object({ scope: z.enum(["everything", "contributor", "session"]), until: z.string().optional() }).optional(),
  /** Why the hub could not make or renew the code-host token of the current task. */
  credential_failure: z
    .object({ task_id: z.string(), repo: z.string(), number: z.number().int(), reason: z.string(), at: z.string() })
    .optional(),
  last_failure: z
    .object({
      task_id: z.string(),
      repo: z.string(),
      number: z.number().int(),
      kind: z.string(),
      reason: z.string(),
      permanent: z.boolean(),
      at: z.string(),
    })
    .optional(),
});
export type FleetRelay = z.infer<typeof FleetRelay>;
export const FleetWork = z.object({
  task_id: z.string(),
  task_gen: z.number().int(),
  kind: z.literal("issue"),
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  contributor_id: z.string(),
  github_username: z.string(),
  /** The session name of the machine that has the task, if that machine has a name. */
  session: z.string().optional(),
  status: z.enum(["offered", "in-progress", "away"]),
  assigned_at: z.string(),
  expires_at: z.string(),
  note: z.string().optional(),
  /** True for a private repository; its facts are hidden from the caller. */
  private: z.literal(true).optional(),
});
export type FleetWork = z.infer<typeof FleetWork>;
export const FleetReply = z.object({
  clankers: z.array(FleetRelay),
  work: z.array(FleetWork),
  cooldown_count: z.number().int(),
  in_flight_count: z.number().int(),
  held_count: z.number().int(),
  next_cursor: z.string().optional(),
});
export type FleetReply = z.infer<typeof FleetReply>;
export const fleet = route({
  method: "GET",
  path: "/api/contribute/fleet",
  summary: "Connected relays, what they declared, and the tasks under lease",
  access: "anyone",
  query: OptionalPaging,
  reply: FleetReply,
});

/**
 * What changed in the fleet since the previous event: new and changed rows, relays of which nothing changed but when they were last heard
 * (`heard`), and the keys of removed rows.
 */
export const FleetChanges = FleetReply.omit({ next_cursor: true }).extend({
  heard: z.array(FleetRelay.pick({ connection_id: true, last_activity: true })).optional(),
  gone: z.object({ clankers: z.array(z.string()), work: z.array(z.string()) }),
});
export type FleetChanges = z.infer<typeof FleetChanges>;

export const ActivityEntry = z.object({
  id: z.number().int(),
  timestamp: z.string(),
  username: z.string(),
  action: z.string(),
  task: z.string().optional(),
  task_id: z.string().optional(),
  title: z.string().optional(),
  url: z.string().optional(),
  detail: z.string().optional(),
  /** True for a private repository; its facts are hidden from the caller. */
  private: z.literal(true).optional(),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;
export const ActivityReply = z.object({
  activity: z.array(ActivityEntry),
  retained: z.number().int(),
  next_cursor: z.string().optional(),
});
export const activity = route({
  method: "GET",
  path: "/api/contribute/activity",
  summary: "What happened, newest first",
  access: "anyone",
  query: Paging,
  reply: ActivityReply,
});

export const events = route({
  method: "GET",
  path: "/api/contribute/events",
  summary:
    "The same as it happens, as server-sent events: hello, status, activity, work, and a heartbeat every 10 seconds; fleet=changes sends work once and then only what changed",
  access: "anyone",
  query: z.object({ fleet: z.enum(["changes"]).optional() }),
  reply: z.string(),
});

export const refreshQueue = route({
  method: "POST",
  path: "/api/contribute/queue/refresh",
  summary: "Read the code host now; answers when done",
  access: "admin",
  scope: "operate",
  reply: z.object({
    repositories: z.number().int(),
    issues: z.number().int(),
    actionable_items: z.number().int(),
    failed: z.array(z.string()),
  }),
});

/** The standing of the contributor whose registration token makes the request. */
export const OwnLimits = z.object({
  username: z.string(),
  contributor_id: z.string(),
  tier: z.enum(tiers),
  used_hour: z.number().int(),
  used_day: z.number().int(),
  held: z.number().int(),
  max_per_hour: z.number().int(),
  max_per_day: z.number().int(),
  max_concurrent: z.number().int(),
  /** When the hourly and daily limits allow the next task; absent when they allow one now. */
  hour_frees_at: z.string().optional(),
  day_frees_at: z.string().optional(),
  paused_until: z.string().optional(),
  tasks_completed: z.number().int(),
  tasks_verified: z.number().int(),
  tasks_failed: z.number().int(),
  /** The next tier, and how many verified pull requests are missing. */
  next_tier: z.object({ tier: z.enum(tiers), missing: z.number().int() }).optional(),
});
export type OwnLimits = z.infer<typeof OwnLimits>;
export const LimitsReply = z.object({
  you: OwnLimits.optional(),
  tiers: z.array(
    z.object({
      tier: z.string(),
      enabled: z.boolean(),
      max_per_hour: z.number(),
      max_per_day: z.number(),
      max_concurrent: z.number(),
    }),
  ),
});
export const limits = route({
  method: "GET",
  path: "/api/contribute/limits",
  summary:
    "The limits of each trust tier, 0 = unlimited; with a registration token as bearer also how its owner stands",
  access: "anyone",
  reply: LimitsReply,
});
