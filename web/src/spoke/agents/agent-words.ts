import type { AgentState, Autonomy, nestAgents } from "@nest/protocol";
import { dateAndTime, duration, timeLeft } from "../../shared/format/format.ts";

type NestAgent = nestAgents.NestAgent;

const states: Readonly<Record<AgentState, { readonly words: string; readonly look: string }>> = {
  disabled: { words: "switched off", look: "idle" },
  unready: { words: "cannot start", look: "failing" },
  paused: { words: "paused", look: "away" },
  waiting: { words: "waiting", look: "idle" },
  starting: { words: "starting", look: "in-progress" },
  running: { words: "at work", look: "in-progress" },
  stopping: { words: "stopping", look: "away" },
};

/** An agent's state in words, and which of the colours of states it has. */
export function stateOf({ state, waits_for }: Pick<NestAgent, "state" | "waits_for">): {
  readonly words: string;
  readonly look: string;
} {
  return waits_for !== undefined && state === "running" ? { words: "waits for people", look: "away" } : states[state];
}

/** Whether a run is under way. */
export function isAtWork({ state }: Pick<NestAgent, "state">): boolean {
  return state === "starting" || state === "running" || state === "stopping";
}

/** When an agent is set to work next; undefined while it works or cannot. `actionable`: issues that agents may take, if known. */
export function nextTurnOf(agent: NestAgent, now: number, actionable?: number): string | undefined {
  const { state, interval_seconds: interval, next_at: next } = agent;
  if (isAtWork(agent) || state === "disabled" || state === "unready") return undefined;
  if (interval === null) return "none: the mode in force lets it rest";
  if (state === "paused") return "when the pause ends";
  const every = `every ${duration(interval * 1000)}`;
  if (next === undefined) return every;
  const left = Date.parse(next) - now;
  if (left >= 1000) return `in ${duration(left)}, ${every}`;
  return actionable === 0 ? `due, but no issue waits, ${every}` : `due as soon as there is work for it, ${every}`;
}

/** When a pause ends. */
export function endOfPause({ until }: nestAgents.AgentPause, now: number): string {
  if (until === undefined) return "until a person ends it";
  const left = Date.parse(until) - now;
  return left <= 0 ? "ends now" : `for ${timeLeft(left)} more, until ${dateAndTime(until)}`;
}

const autonomies: Readonly<Record<Autonomy, string>> = {
  advise: "reads and advises",
  issues: "files issues",
  pull_requests: "opens pull requests",
  merge: "merges pull requests",
};

/** What an agent may do to the code host. */
export function autonomyOf({ autonomy, held }: Pick<NestAgent, "autonomy" | "held">): string {
  const opens = autonomy === "pull_requests" || autonomy === "merge";
  return `${autonomies[autonomy]}${held && opens ? ", which wait for a person" : ""}`;
}

/** Whether only the governor's mode lets it rest: there is nothing to resume, and it can be set to work by hand. */
export function isPausedByMode({ pause }: Pick<NestAgent, "pause">): boolean {
  return pause?.cause === "mode";
}

/** Why an agent cannot be set to work by hand now. */
export function whyNoKick(agent: NestAgent): string | undefined {
  if (isAtWork(agent)) return "It works already.";
  if (agent.state === "disabled") return "It is switched off.";
  if (agent.state === "paused" && !isPausedByMode(agent)) return "It is paused: resume it first.";
  return undefined;
}
