import { plainLine } from "@nest/kit";
import { type contribute, type contributors, describeOutcome, describeUnavailable } from "@nest/protocol";
import type { Standing } from "./ask-hub.ts";

const NAME = 12;

/** How a contributor stands at a hub, as lines for a terminal. What came from the hub is made plain: it cannot steer a terminal. */
export function standingLines(standing: Standing, own: ReadonlySet<string>, now: number): readonly string[] {
  const { host } = standing.hub;
  if ("trouble" in standing)
    return [`${host}: ${standing.trouble}`, ...(standing.remedy === undefined ? [] : [line("to do", standing.remedy)])];
  const { contributor, limits, sessions, history } = standing.found;
  if (contributor === undefined) return [`${host}: you are not registered here`];
  return [
    plainLine(`${host}: ${contributor.github_username}, ${contributor.trust_tier}`),
    line("tier", nextTier(contributor, limits)),
    ...(limits === undefined ? [] : [line("limits", limitWords(limits, now))]),
    ...listed(
      "relays",
      sessions.map((one) => relayWords(one, own)),
      "none is connected",
    ),
    ...listed("last tasks", history.map(taskWords), "none yet"),
  ];
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(NAME)}${plainLine(text)}`;
}

function listed(name: string, lines: readonly string[], none: string): readonly string[] {
  if (lines.length === 0) return [line(name, none)];
  return lines.map((text, at) => line(at === 0 ? name : "", text));
}

function nextTier(one: contributors.ContributorRow, limits: contribute.OwnLimits | undefined): string {
  const have = count(one.total_tasks_completed_with_pr, "verified pull request");
  const next = limits?.next_tier;
  if (next === undefined) return `${have}; no further tier comes by itself`;
  return `${have}; ${next.missing === 0 ? "the next one makes" : `${next.missing} more make`} you ${next.tier}`;
}

function limitWords(limits: contribute.OwnLimits, now: number): string {
  const left = (used: number, most: number, name: string, frees?: string) => {
    if (most === 0) return `no limit ${name}`;
    const again = frees === undefined ? "" : `, room in ${minutes(Date.parse(frees) - now)}`;
    return `${Math.max(0, most - used)} of ${most} left ${name}${again}`;
  };
  const paused = limits.paused_until;
  return [
    left(limits.used_hour, limits.max_per_hour, "this hour", limits.hour_frees_at),
    left(limits.used_day, limits.max_per_day, "today", limits.day_frees_at),
    left(limits.held, limits.max_concurrent, "at once"),
    ...(paused === undefined ? [] : [`paused after quick failures, for ${minutes(Date.parse(paused) - now)}`]),
  ].join("; ");
}

function relayWords(relay: contribute.FleetRelay, own: ReadonlySet<string>): string {
  const { session = "unnamed", current_task: task, idle_reason: idle } = relay;
  const doing =
    task !== undefined
      ? `works on ${task}`
      : idle === undefined
        ? "has no task"
        : `has no task: ${describeUnavailable(idle).label}`;
  const drift = relay.protocol.verdict === "current" ? "" : `; protocol ${relay.protocol.declared ?? "unknown"}`;
  const model = relay.model === undefined ? "" : ` ${relay.model}`;
  const here = own.has(session) ? " (here)" : "";
  return `${session}${here}: ${doing}; ${relay.cli_backend ?? "agent not told"}${model}${drift}`;
}

function taskWords(task: contributors.ContributorTask): string {
  const { words } = describeOutcome(task.outcome, task.verdict);
  const state = task.pr_url === undefined || task.pr_state === undefined ? "" : `, ${task.pr_state}`;
  const at = task.assigned_at.slice(0, 16).replace("T", " ");
  return `${at} ${task.repo}#${task.number}: ${words}${state}; ${task.pr_url ?? task.reason ?? task.url}`;
}

function minutes(ms: number): string {
  const all = Math.max(1, Math.ceil(ms / 60_000));
  return all < 120 ? `${all} min` : `${Math.round(all / 60)} h`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
