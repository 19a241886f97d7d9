import { z } from "zod";

/** The file about the current task that the relay leaves for the agent and for people. Contains no secret. */
export const TaskContext = z.object({
  task_id: z.string(),
  /** Missing where the hub gives no generations. */
  task_gen: z.number().int().positive().optional(),
  hub: z.string(),
  repo: z.string(),
  number: z.number().int(),
  title: z.string(),
  url: z.string(),
  labels: z.array(z.string()),
  prompt: z.string(),
  accepted_at: z.string(),
});
export type TaskContext = z.infer<typeof TaskContext>;

/** The headless status file that cluster probes read. */
export const HeadlessStatus = z.object({
  mode: z.literal("headless"),
  backend: z.string(),
  state: z.enum(["waiting", "working", "done", "failed", "starting", "refused", "stopped"]),
  updated_at: z.string(),
  task_id: z.string().optional(),
  task_gen: z.number().int().optional(),
  repo: z.string().optional(),
  number: z.number().int().optional(),
  pr_url: z.string().optional(),
  reason: z.string().optional(),
  last_result: z.string().optional(),
});
export type HeadlessStatus = z.infer<typeof HeadlessStatus>;
