import { z } from "zod";
import { route } from "./route.ts";

/** What may be done to the code host, rising: `advise` reads; `issues` files issues; `pull_requests` opens them; `merge` merges them. */
export const autonomies = ["advise", "issues", "pull_requests", "merge"] as const;
export type Autonomy = (typeof autonomies)[number];

/**
 * What an agent of a nest does now. `waiting`: nothing is due. `paused`: by a person, by a budget or by its own trouble; the pause
 * says which. `unready`: it cannot be started, and `trouble` says why.
 */
export const agentStates = ["disabled", "unready", "paused", "waiting", "starting", "running", "stopping"] as const;
export type AgentState = (typeof agentStates)[number];

/** Why an agent is paused. All but `person` end by themselves where `until` says so. */
export const pauseCauses = ["person", "mode", "budget", "login", "quota", "failures", "loop", "disk"] as const;
export type PauseCause = (typeof pauseCauses)[number];

export const AgentPause = z.object({
  cause: z.enum(pauseCauses),
  /** Who paused it, for `person`. */
  by: z.string().optional(),
  /** A sentence for people. */
  reason: z.string(),
  since: z.string(),
  /** When it ends by itself; absent where a person has to end it. */
  until: z.string().optional(),
});
export type AgentPause = z.infer<typeof AgentPause>;

/** What may be used in a day; a limit that is absent is none. */
export const SpendingLimits = z.object({
  runs_per_day: z.number().optional(),
  minutes_per_day: z.number().optional(),
  tokens_per_day: z.number().optional(),
  cost_usd_per_day: z.number().optional(),
});

/** What was used since midnight, UTC, and what may be. */
export const Spending = z.object({
  runs: z.number().int(),
  minutes: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
  limits: SpendingLimits,
});
export type Spending = z.infer<typeof Spending>;

/** One agent of a nest. Times are RFC 3339. */
export const NestAgent = z.object({
  name: z.string(),
  backend: z.string(),
  model: z.string().optional(),
  enabled: z.boolean(),
  state: z.enum(agentStates),
  /** What it may do to the code host at the nest's ACMM level. */
  autonomy: z.enum(autonomies),
  /** True where the pull requests it opens wait for a person. */
  held: z.boolean(),
  pause: AgentPause.optional(),
  /** Why it cannot be started. */
  trouble: z.string().optional(),
  /** What a running agent waits for, in words: a login, an answer, its quota. */
  waits_for: z.string().optional(),
  /** The run in progress. */
  run_id: z.string().optional(),
  /** What it works on: an issue's key, or what the run is for. */
  working_on: z.string().optional(),
  running_since: z.string().optional(),
  /** The last line it printed, masked. */
  now_line: z.string().optional(),
  last_run: z
    .object({ id: z.string(), ended_at: z.string(), outcome: z.string(), summary: z.string().optional() })
    .optional(),
  /** How often it is set to work in the mode in force: seconds, or null where that mode pauses it. */
  interval_seconds: z.number().nullable(),
  /** When it is set to work next, where that is known; never a moment that has passed for want of work. */
  next_at: z.string().optional(),
  /** Why it does not work although its turn has come: no issue waits, the level allows nobody, the code host is not linked. */
  idle_because: z.string().optional(),
  /** The multiplexer session that the terminal shows. */
  session: z.string(),
  restarts: z.number().int(),
  spending: Spending,
});
export type NestAgent = z.infer<typeof NestAgent>;

export const agents = route({
  method: "GET",
  path: "/api/agents",
  summary: "The agents of this nest: what each does now, what it may do, what it used today",
  access: "reader",
  reply: z.object({ agents: z.array(NestAgent) }),
});

const Acted = z.object({ ok: z.literal(true), agent: NestAgent });

export const kick = route({
  method: "POST",
  path: "/api/agents/:name/kick",
  summary: "Set an agent to work now; 409 where it works already or is paused",
  access: "operator",
  body: z.strictObject({
    /** Work on this issue, `owner/name#number`. */
    issue: z.string().max(220).optional(),
    /** What to do, in the person's own words. */
    message: z.string().max(4000).optional(),
  }),
  reply: Acted,
});

export const pause = route({
  method: "POST",
  path: "/api/agents/:name/pause",
  summary: "Pause an agent; a run in progress goes on, or ends at once with stop",
  access: "operator",
  body: z.strictObject({
    reason: z.string().max(200).optional(),
    stop: z.boolean().optional(),
    /** Ends by itself after so many minutes. */
    minutes: z.number().int().min(1).max(43_200).optional(),
  }),
  reply: Acted,
});

export const resume = route({
  method: "POST",
  path: "/api/agents/:name/resume",
  summary: "End a pause, whoever or whatever began it",
  access: "operator",
  reply: Acted,
});

export const restart = route({
  method: "POST",
  path: "/api/agents/:name/restart",
  summary:
    "End the run in progress with all its processes, make the terminal session anew, and set the agent to work again",
  access: "operator",
  reply: Acted,
});

export const switchAgent = route({
  method: "PUT",
  path: "/api/agents/:name",
  summary:
    "Switch backend, model or the agent itself on or off; saved in the dashboard's overlay, in force from the next run",
  access: "owner",
  body: z.strictObject({
    backend: z.string().max(40).optional(),
    /** Null: the backend's default. */
    model: z.string().max(200).nullable().optional(),
    enabled: z.boolean().optional(),
  }),
  reply: Acted,
});

export const screen = route({
  method: "GET",
  path: "/api/agents/:name/screen",
  summary: "What the agent's terminal shows now, masked, as plain text",
  access: "member",
  reply: z.object({ lines: z.array(z.string()), at: z.string() }),
});
