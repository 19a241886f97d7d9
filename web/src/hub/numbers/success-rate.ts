import type { operations } from "@nest/protocol";

/** The share of completed tasks among all that ended, in percent; undefined where none did. What was given back is left out. */
export function successRate({
  completed,
  no_work_needed,
  blocked,
  failed,
}: Pick<operations.Done, "completed" | "no_work_needed" | "blocked" | "failed">): number | undefined {
  const ended = completed + no_work_needed + blocked + failed;
  return ended === 0 ? undefined : (100 * completed) / ended;
}
