import { z } from "zod";
import { SpendingLimits } from "./nest-agents.ts";
import { route } from "./route.ts";

/** Why an issue of a monitored repository is not given to this nest's agents. */
export const heldBackReasons = [
  "held",
  "exempt_label",
  "tracker",
  "assigned",
  "claimed",
  "in_progress",
  "blocked",
  "done",
  "failed_lately",
  "author_filter",
  "title_filter",
] as const;
export type HeldBackReason = (typeof heldBackReasons)[number];

const words: Readonly<Record<HeldBackReason, { readonly label: string; readonly because: string }>> = {
  held: { label: "held", because: "a label says that it waits" },
  exempt_label: { label: "exempt", because: "a label keeps agents away from it" },
  tracker: { label: "trackers", because: "it only collects other issues" },
  assigned: { label: "assigned", because: "it is assigned to somebody" },
  claimed: { label: "claimed", because: "an open pull request claims it" },
  in_progress: { label: "in progress", because: "an agent works on it" },
  blocked: { label: "blocked", because: "the ledger says that something else comes first, or that people have to act" },
  done: { label: "done", because: "an agent finished it, and it has not changed since" },
  failed_lately: { label: "failed lately", because: "the last try at it failed" },
  author_filter: { label: "left out by author", because: "issues of its author are left out" },
  title_filter: { label: "left out by title", because: "issues with such a title are left out" },
};

/** A reason in words. One of a newer nest reads as its name. */
export function describeHeldBack(reason: string): { readonly label: string; readonly because: string } {
  return Object.hasOwn(words, reason) ? words[reason as HeldBackReason] : { label: reason, because: reason };
}

export const WorkItem = z.object({
  /** `owner/name#number`. */
  key: z.string(),
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  author: z.string(),
  labels: z.array(z.string()),
  created_at: z.string(),
  /** Absent: agents may take it. */
  reason: z.enum(heldBackReasons).optional(),
  /** When the reason ends by itself. */
  until: z.string().optional(),
  /** The agent that works on it, or the last one that did. */
  agent: z.string().optional(),
});
export type WorkItem = z.infer<typeof WorkItem>;

export const RepoScan = z.object({
  repo: z.string(),
  issues: z.number().int(),
  pull_requests: z.number().int(),
  /** When it was last read whole. */
  read_at: z.string().optional(),
  /** Why it could not be read the last time. */
  error: z.string().optional(),
});
export type RepoScan = z.infer<typeof RepoScan>;

export const work = route({
  method: "GET",
  path: "/api/queue",
  summary: "Open issues of the monitored repositories: what agents may take, and why the rest is held back",
  access: "member",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: z.string().max(20).optional(),
    /** `actionable`, a reason, or absent for all. */
    show: z.enum(["actionable", ...heldBackReasons]).optional(),
    search: z.string().max(100).optional(),
  }),
  reply: z.object({
    items: z.array(WorkItem),
    next_cursor: z.string().optional(),
    actionable: z.number().int(),
    held_back: z.record(z.string(), z.number().int()),
    repos: z.array(RepoScan),
  }),
});

/** How the governor stands. */
export const GovernorStatus = z.object({
  /** The mode in force, and the modes with their thresholds. */
  mode: z.string(),
  modes: z.array(z.object({ name: z.string(), threshold: z.number() })),
  acmm_level: z.number().int(),
  actionable: z.number().int(),
  held_back: z.number().int(),
  open_pull_requests: z.number().int(),
  /** Agents that work now. */
  running: z.number().int(),
  /** When the queue was judged last, whether or not anything could be read for it. */
  last_eval_at: z.string().optional(),
  /** As of when the queue is: the oldest `read_at` of its repositories; absent while one of them was never read. */
  queue_read_at: z.string().optional(),
  next_eval_at: z.string().optional(),
  spending: z.object({
    runs: z.number(),
    minutes: z.number(),
    tokens: z.number(),
    cost_usd: z.number(),
    /** What all agents together may use in a day; absent from releases that do not say. */
    limits: SpendingLimits.optional(),
  }),
  repos: z.array(RepoScan),
});
export type GovernorStatus = z.infer<typeof GovernorStatus>;

export const status = route({
  method: "GET",
  path: "/api/status",
  summary: "The nest in a few numbers: mode, queue, agents at work, what was used today",
  access: "reader",
  reply: z.object({
    nest_id: z.string(),
    version: z.string(),
    org: z.string().optional(),
    primary_repo: z.string().optional(),
    governor: GovernorStatus,
    hub: z
      .object({
        url: z.string(),
        last_accepted_at: z.string().optional(),
        /** `accepted`, or what went wrong in a sentence. */
        last_outcome: z.string().optional(),
      })
      .optional(),
  }),
});

export const evaluate = route({
  method: "POST",
  path: "/api/governor/evaluate",
  summary: "Read the repositories and judge the queue now",
  access: "operator",
  reply: z.object({
    ok: z.literal(true),
    governor: GovernorStatus,
    /** What could not be read just now, and why: there the queue is as old as `read_at` says. Empty where all was read. */
    unread: z.array(z.object({ repo: z.string(), error: z.string(), read_at: z.string().optional() })),
  }),
});

/** The queue over time: one point per evaluation, thinned to the wanted number. */
export const workHistory = route({
  method: "GET",
  path: "/api/queue/history",
  summary: "How long the queue was at each evaluation of the last days",
  access: "member",
  query: z.strictObject({ days: z.coerce.number().int().min(1).max(30).default(7) }),
  reply: z.object({
    points: z.array(z.object({ at: z.string(), actionable: z.number().int(), held_back: z.number().int() })),
  }),
});
