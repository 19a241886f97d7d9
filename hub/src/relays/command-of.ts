import type { Command, RelayIdentity } from "@nest/dispatch";
import { plainLine } from "@nest/kit";
import { failureKindOf, type RelayMessage } from "@nest/protocol";

/** Messages about work that a relay may send after authentication. */
export type WorkMessage = Exclude<RelayMessage, { type: "ping" | "pong" | "auth_response" }>;

const LONGEST_NOTE = 200;
const LONGEST_LINE = 512;

/**
 * Turns a message of an authenticated relay into a command; its texts become single plain lines. `silent` is the connection
 * that holds the task and did not answer a ping.
 */
export function commandOf(
  message: Exclude<WorkMessage, { type: "ready" }>,
  relayIdentity: RelayIdentity,
  silent?: string,
): Command {
  const task = { ...relayIdentity, taskId: message.task_id, gen: message.task_gen, silent };
  switch (message.type) {
    case "task_accepted":
      return { kind: "accepted", ...task };
    case "task_progress":
      return { kind: "progress", ...task, repo: message.repo, number: message.number };
    case "task_complete": {
      const reason = line(message.summary) ?? "reported as failed";
      if (/^fail(ed|ure)?$/i.test(message.result ?? "")) {
        return { kind: "failed", ...task, reason, failureKind: "unspecified", permanent: false };
      }
      const [prUrl, verdict, verdictReason] = [
        line(message.pr_url),
        line(message.verdict),
        line(message.verdict_reason),
      ];
      return { kind: "completed", ...task, prUrl, verdict, verdictReason };
    }
    case "task_failed": {
      const reason = line(message.reason) ?? "no reason given";
      return {
        kind: "failed",
        ...task,
        reason,
        failureKind: failureKindOf(message.failure_kind),
        permanent: message.permanent ?? false,
      };
    }
    case "task_declined":
      return { kind: "declined", ...task, reason: line(message.message ?? message.reason) ?? "declined" };
  }
}

/** The text of a progress report, for people who watch. */
export function noteOf(message: Extract<RelayMessage, { type: "task_progress" }>): string | undefined {
  const text = message.summary ?? message.status;
  return text === undefined ? undefined : plainLine(text).slice(0, LONGEST_NOTE) || undefined;
}

function line(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return plainLine(text).slice(0, LONGEST_LINE) || undefined;
}
