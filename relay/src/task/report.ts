import type { Outcome } from "@nest/agents";
import type { TerminalReport } from "../outbox/outbox.ts";
import type { Assignment } from "./task.ts";

const SUMMARY_LENGTH = 500;

export interface Reported {
  readonly assignment: Pick<Assignment, "task_id" | "task_gen">;
  readonly outcome: Outcome;
  readonly tail: string;
}

/** The terminal report on the wire. Never `permanent`: the relay cannot know that an issue cannot be solved. */
export function terminalReport({ assignment, outcome, tail }: Reported): TerminalReport {
  const task = named(assignment);
  if (outcome.kind === "failed")
    return {
      type: "task_failed",
      ...task,
      reason: outcome.reason,
      failure_kind: outcome.failureKind,
      tmux_output: linesOf(tail),
    };
  return {
    type: "task_complete",
    ...task,
    result: "completed",
    summary: lastLine(tail),
    tmux_output: linesOf(tail),
    verdict: outcome.verdict,
    ...(outcome.verdictReason === undefined ? {} : { verdict_reason: outcome.verdictReason }),
    ...(outcome.pullRequest === undefined ? {} : { pr_url: outcome.pullRequest }),
  };
}

/** The fields by which a report names its task: without a generation where the hub gave none. */
export function named({ task_id, task_gen }: Reported["assignment"]): { task_id: string; task_gen?: number } {
  return task_gen === undefined ? { task_id } : { task_id, task_gen };
}

/** A tail as the list of lines that the wire wants. */
export function linesOf(tail: string): string[] {
  return tail === "" ? [] : tail.split("\n");
}

/** The last meaningful line of a tail: not the verdict itself, not a bare prompt sign or a frame. */
export function lastLine(tail: string): string {
  const lines = tail.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line) && !line.includes("_VERDICT:"));
  return [...(lines.at(-1)?.trim() ?? "")].slice(0, SUMMARY_LENGTH).join("");
}
