import { standstillWords } from "@nest/agents";
import type { AgentState, nestAgents, nestRuns } from "@nest/protocol";
import { allowanceAt } from "../policy/acmm.ts";
import { cadenceIn, type Mode } from "../policy/modes.ts";
import { nextTurn } from "../policy/schedule.ts";
import type { GovernorSettings } from "../policy/settings.ts";
import type { Limits, Used } from "../policy/spending.ts";
import type { Agent } from "./agent.ts";
import { pauseView } from "./pause.ts";

/** What the view of an agent needs besides the agent. */
export interface Surroundings {
  readonly settings: GovernorSettings;
  readonly mode: Mode;
  /** Since when that mode is in force. */
  readonly modeSince: number;
  readonly used: Used;
  readonly lastRun: nestRuns.Run | undefined;
  /** What keeps it from working although it is its turn. */
  readonly whyIdle: string | undefined;
  readonly now: number;
}

/** The name of an agent's multiplexer session. */
export function sessionOf(agent: string): string {
  return `nest-${agent}`;
}

/** An agent as the dashboard shows it. Absent is what is not known; nothing is made up. Pure. */
export function agentView(
  agent: Agent,
  { settings, mode, modeSince, used, lastRun, whyIdle, now }: Surroundings,
): nestAgents.NestAgent {
  const { settings: own, run, pause, trouble, nowLine, lastStartedAt, freeSince } = agent;
  const cadence = cadenceIn(mode, own.name);
  const next = nextTurn(cadence, { lastStartedAt, freeSince });
  const modePause = cadence === "pause" ? modePauseOf(mode, modeSince) : undefined;
  const shown = pause === undefined ? modePause : pauseView(pause);
  const allowance = allowanceAt(settings.acmmLevel, own.name, own.autonomy);
  const waitsFor = agent.waitsFor as Parameters<typeof standstillWords>[0] | undefined;
  const state = stateOf(agent, shown !== undefined);
  return {
    name: own.name,
    backend: own.backend,
    ...(own.model === undefined ? {} : { model: own.model }),
    enabled: own.enabled,
    state,
    autonomy: allowance?.autonomy ?? "advise",
    held: allowance?.held ?? true,
    ...(shown === undefined ? {} : { pause: shown }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(waitsFor === undefined ? {} : { waits_for: standstillWords(waitsFor) }),
    ...(run === undefined
      ? {}
      : { run_id: run.id, working_on: run.issue ?? "the whole", running_since: run.started_at }),
    ...(nowLine === undefined ? {} : { now_line: nowLine }),
    ...(lastRun?.ended_at === undefined
      ? {}
      : {
          last_run: {
            id: lastRun.id,
            ended_at: lastRun.ended_at,
            outcome: lastRun.outcome ?? "finished",
            ...(lastRun.summary === undefined ? {} : { summary: lastRun.summary }),
          },
        }),
    interval_seconds: cadence === "pause" ? null : Math.round(cadence / 1000),
    ...(state === "waiting" && next !== null ? turnView(next, now, whyIdle) : {}),
    session: sessionOf(own.name),
    restarts: agent.restarts,
    spending: spendingView(used, own.limits),
  };
}

/** A turn that has come and passes because nothing is there to do is no moment to come: the reason stands in its place. */
function turnView(next: number, now: number, whyIdle: string | undefined): Partial<nestAgents.NestAgent> {
  if (next <= now && whyIdle !== undefined) return { idle_because: whyIdle };
  return { next_at: new Date(Math.max(next, now)).toISOString() };
}

function stateOf(agent: Agent, isPaused: boolean): AgentState {
  if (agent.doing !== "nothing") return agent.doing;
  if (!agent.settings.enabled) return "disabled";
  if (isPaused) return "paused";
  return agent.trouble === undefined ? "waiting" : "unready";
}

function modePauseOf(mode: Mode, since: number): nestAgents.AgentPause {
  return { cause: "mode", reason: `the mode ${mode.name} pauses it`, since: new Date(since).toISOString() };
}

export function spendingView(used: Used, limits: Limits): nestAgents.Spending {
  return {
    runs: used.runs,
    minutes: Math.round(used.minutes * 10) / 10,
    tokens: used.tokens,
    cost_usd: used.costUsd,
    limits: {
      ...(limits.runsPerDay === undefined ? {} : { runs_per_day: limits.runsPerDay }),
      ...(limits.minutesPerDay === undefined ? {} : { minutes_per_day: limits.minutesPerDay }),
      ...(limits.tokensPerDay === undefined ? {} : { tokens_per_day: limits.tokensPerDay }),
      ...(limits.costUsdPerDay === undefined ? {} : { cost_usd_per_day: limits.costUsdPerDay }),
    },
  };
}
