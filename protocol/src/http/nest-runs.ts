import { z } from "zod";
import { Paging } from "./paging.ts";
import { route } from "./route.ts";

/** How a run ended. `stopped`: a person, a pause or the end of the program ended it. `looped` and `stalled`: the governor did. */
export const runOutcomes = [
  "shipped",
  "finished",
  "no_work_needed",
  "blocked",
  "failed",
  "overdue",
  "looped",
  "stalled",
  "not_started",
  "stopped",
] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** Tokens and cost as the CLI itself reports them; absent where it reports none. */
export const Usage = z.object({ tokens: z.number().optional(), cost_usd: z.number().optional() });
export type Usage = z.infer<typeof Usage>;

/** One run of an agent. Times are RFC 3339. */
export const Run = z.object({
  id: z.string(),
  agent: z.string(),
  backend: z.string(),
  model: z.string().optional(),
  /** Why it began: its interval came round, or a person's login. */
  trigger: z.enum(["schedule", "person", "restart"]),
  by: z.string().optional(),
  /** The issue it works on, `owner/name#number`. */
  issue: z.string().optional(),
  title: z.string().optional(),
  started_at: z.string(),
  ended_at: z.string().optional(),
  /** Absent while it goes on. */
  outcome: z.enum(runOutcomes).optional(),
  /** The agent's or the governor's own words on it. */
  summary: z.string().optional(),
  /** Pull requests and issues that it named, on the code host. */
  links: z.array(z.string()),
  /** What it changed in its checkout: files, lines added, lines removed. */
  diff: z.object({ files: z.number().int(), added: z.number().int(), removed: z.number().int() }).optional(),
  usage: Usage.optional(),
  /** Bytes of the recording; absent where there is none, or no longer. */
  recording_bytes: z.number().int().optional(),
});
export type Run = z.infer<typeof Run>;

export const runs = route({
  method: "GET",
  path: "/api/runs",
  summary: "Runs of this nest's agents, newest first",
  access: "member",
  query: Paging.extend({
    agent: z.string().max(100).optional(),
    outcome: z.enum(runOutcomes).optional(),
    issue: z.string().max(220).optional(),
    cursor: z.string().max(100).optional(),
  }),
  reply: z.object({ runs: z.array(Run), next_cursor: z.string().optional() }),
});

export const run = route({
  method: "GET",
  path: "/api/runs/:id",
  summary: "One run: what it was told, in what environment (names only), and what became of it",
  access: "member",
  reply: Run.extend({ prompt: z.string(), environment: z.array(z.string()), last_lines: z.array(z.string()) }),
});

export const recording = route({
  method: "GET",
  path: "/api/runs/:id/recording",
  summary: "The terminal of a run as it was seen, masked: an asciicast of version 2, of a run in progress up to now",
  access: "member",
  produces: "application/x-asciicast",
  reply: z.string(),
});

/** One day of runs, UTC. */
export const RunDay = z.object({
  day: z.string(),
  runs: z.number().int(),
  /** By outcome; outcomes that did not happen are absent. */
  outcomes: z.record(z.string(), z.number().int()),
  minutes: z.number(),
  tokens: z.number(),
  cost_usd: z.number(),
});
export const runDays = route({
  method: "GET",
  path: "/api/runs/days",
  summary: "Runs, minutes, tokens and cost of each of the last days, oldest first",
  access: "member",
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(90).default(14),
    agent: z.string().max(100).optional(),
  }),
  reply: z.object({ days: z.array(RunDay) }),
});
