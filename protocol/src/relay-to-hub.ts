import { z } from "zod";
import { Capabilities } from "./facts.ts";

/** Text for people. An invalid one is dropped and the rest of the report counts: a contributor never loses a result over it. */
const note = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const seq = z.number().optional().catch(undefined);

/** A reader keeps this many lines of a terminal's end: more is never shown. */
const MOST_LINES = 200;
/**
 * The last lines of the agent's terminal: a list on the wire, as hubs of every release read it. Early relays of ours sent one
 * text; it is read as its lines. Anything else is dropped and the rest of the report counts.
 */
const lines = z
  .union([z.array(z.string()), z.string().transform((text) => (text === "" ? [] : text.split("\n")))])
  .transform((list) => list.slice(-MOST_LINES))
  .optional()
  .catch(undefined);

const TaskId = z.string().min(1).max(256);
/** A positive whole number, or the 0 of a relay too old to know generations. */
const TaskGen = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const failureKinds = ["environment", "task", "unspecified"] as const;
export type FailureKind = (typeof failureKinds)[number];

export const AuthResponse = z.object({
  type: z.literal("auth_response"),
  seq,
  registration_token: z.string().max(512).optional(),
  /** Proof instead of the token, for a hub that offers `auth_proof`. */
  contributor_id: z.string().max(128).optional(),
  auth_proof: z.string().max(128).optional(),
  cli_backend: note,
  model: note,
  reasoning_effort: note,
  role: note,
  session: note,
  protocol_version: note,
  relay_protocol_version: note,
  capabilities: Capabilities.optional(),
});
export type AuthResponse = z.infer<typeof AuthResponse>;

export const Ready = z.object({ type: z.literal("ready"), seq });

export const TaskAccepted = z.object({
  type: z.literal("task_accepted"),
  seq,
  task_id: TaskId,
  task_gen: TaskGen.optional(),
});

export const TaskDeclined = z.object({
  type: z.literal("task_declined"),
  seq,
  task_id: TaskId,
  task_gen: TaskGen.optional(),
  reason: note,
  message: note,
});

export const TaskProgress = z.object({
  type: z.literal("task_progress"),
  seq,
  task_id: TaskId,
  task_gen: TaskGen.optional(),
  status: note,
  tmux_output: lines,
  summary: note,
  attention: flag,
  kind: note,
  repo: note,
  number: z.number().int().optional().catch(undefined),
  title: note,
});

export const TaskComplete = z.object({
  type: z.literal("task_complete"),
  seq,
  task_id: TaskId,
  task_gen: TaskGen.optional(),
  result: note,
  summary: note,
  tmux_output: lines,
  pr_url: note,
  verdict: note,
  verdict_reason: note,
});

export const TaskFailed = z.object({
  type: z.literal("task_failed"),
  seq,
  task_id: TaskId,
  task_gen: TaskGen.optional(),
  reason: note,
  failure_kind: note,
  permanent: flag,
  tmux_output: lines,
});

export const RelayPing = z.object({ type: z.literal("ping"), seq });
export const RelayPong = z.object({ type: z.literal("pong"), seq });

/** Everything a relay says to a hub. */
export const RelayMessage = z.discriminatedUnion("type", [
  AuthResponse,
  Ready,
  TaskAccepted,
  TaskDeclined,
  TaskProgress,
  TaskComplete,
  TaskFailed,
  RelayPing,
  RelayPong,
]);
export type RelayMessage = z.infer<typeof RelayMessage>;

/** An absent or unknown `failure_kind` is `unspecified`. */
export function failureKindOf(declared: string | undefined): FailureKind {
  return declared === "environment" || declared === "task" ? declared : "unspecified";
}
