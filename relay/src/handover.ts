import { standstillWords } from "@nest/agents";
import type { Clock } from "@nest/kit";
import { RELAY_STOPPED, type RelayMessage } from "@nest/protocol";
import { issueOf } from "./reports.ts";
import type { Session } from "./session/session.ts";
import { lastLine, linesOf, named } from "./task/report.ts";
import type { Assignment, Task } from "./task/task.ts";

/** Tells the hub of the task in hand after a reconnect; both frames carry the generation. */
export async function resume(session: Session, task: Task): Promise<void> {
  const { kind = "issue", repo, number, title } = task.assignment;
  await session.send(acceptance(task.assignment));
  const progress = await progressOf(task);
  await session.send({ ...progress, kind, repo, number, title });
}

/** Accepts a task. */
export function acceptance(assignment: Assignment): RelayMessage {
  return { type: "task_accepted", ...named(assignment) };
}

export async function progressOf(task: Task): Promise<Extract<RelayMessage, { type: "task_progress" }>> {
  const tail = await task.tail();
  const standstill = task.standstill();
  // A quota comes back by itself; for a login or an answer a person is needed.
  const status = standstill === "login" || standstill === "answer" ? "blocked_on_human" : "working";
  return {
    type: "task_progress",
    ...named(task.assignment),
    status,
    tmux_output: linesOf(tail),
    summary: standstill === undefined ? lastLine(tail) : standstillWords(standstill),
    ...(status === "blocked_on_human" ? { attention: true } : {}),
  };
}

/** Why a task is given back before it is accepted. */
export interface Refusal {
  /** The wire's word: `busy`, `backend_unavailable`, `no_login` or `malformed`. */
  readonly word: string;
  /** The reason in a sentence for people. */
  readonly message: string;
}

export const STOPPING: Refusal = { word: "busy", message: RELAY_STOPPED };
export const BUSY: Refusal = { word: "busy", message: "a task of another assignment is in hand" };
export const ASKED_ELSEWHERE: Refusal = { word: "busy", message: "another hub was asked for the next task" };

/** Gives back a task that was not accepted. Older hubs know no `task_declined`: they get a failure. */
export function declined(session: Session, assignment: Assignment, refusal: Refusal): RelayMessage {
  const { word, message } = refusal;
  return session.capabilities.has("task_declined")
    ? { type: "task_declined", ...named(assignment), reason: word, message }
    : { type: "task_failed", ...named(assignment), reason: message, failure_kind: "environment" };
}

const LOOK_MS = 20;

/**
 * Waits until every hub that was asked for work has answered, or for `mostMs`. A stopping relay declines what comes, so that no
 * issue waits for a relay that is gone.
 */
export async function answersDue(sessions: readonly Session[], clock: Clock, mostMs: number): Promise<void> {
  const until = clock.now() + mostMs;
  while (sessions.some((one) => one.isAuthenticated && one.readySentAt !== undefined) && clock.now() < until)
    await clock.sleep(LOOK_MS);
}

/** What a stopping relay tells the person of the task in hand. */
export function stoppingWords(
  held: { readonly task: Task; readonly session: Session } | undefined,
  isReporting: boolean,
): string {
  if (held === undefined) return "stopping";
  const { host } = held.session.hub;
  return isReporting
    ? `stopping; ${host} is told how the task ended`
    : `stopping; the agent is ended, and ${issueOf(held.task.assignment)} goes back to ${host}`;
}
