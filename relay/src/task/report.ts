import type { Outcome } from "@nest/agents";
import type { TerminalReport } from "../outbox/outbox.ts";

const SUMMARY_LENGTH = 500;

export interface Reported {
  readonly taskId: string;
  readonly taskGen: number;
  readonly outcome: Outcome;
  readonly tail: string;
}

/** The terminal report on the wire. Never `permanent`: the relay cannot know that an issue cannot be solved. */
export function terminalReport({ taskId, taskGen, outcome, tail }: Reported): TerminalReport {
  const task = { task_id: taskId, task_gen: taskGen };
  if (outcome.kind === "failed")
    return {
      type: "task_failed",
      ...task,
      reason: outcome.reason,
      failure_kind: outcome.failureKind,
      tmux_output: tail,
    };
  return {
    type: "task_complete",
    ...task,
    result: "completed",
    summary: lastLine(tail),
    tmux_output: tail,
    verdict: outcome.verdict,
    ...(outcome.verdictReason === undefined ? {} : { verdict_reason: outcome.verdictReason }),
    ...(outcome.pullRequest === undefined ? {} : { pr_url: outcome.pullRequest }),
  };
}

/** The last meaningful line of a tail: not the verdict itself, not a bare prompt sign or a frame. */
export function lastLine(tail: string): string {
  const lines = tail.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line) && !line.includes("_VERDICT:"));
  return [...(lines.at(-1)?.trim() ?? "")].slice(0, SUMMARY_LENGTH).join("");
}
