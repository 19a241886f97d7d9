import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { backendOf, findBinary } from "@nest/agents";
import type { nestRuns } from "@nest/protocol";
import type { ActiveRun, RunRequest, StartRun } from "../agents/run-port.ts";
import { keyOf } from "../work/judge.ts";
import { GovernedRun, type GovernedRunDeps } from "./governed-run.ts";

export interface RunnerDeps extends GovernedRunDeps {
  /** `<data>/beads`. */
  readonly beadsFolder: string;
  /** `NEST_AGENT_COMMAND`: a program in place of every backend's own. */
  readonly agentCommand: string | undefined;
}

/** Starts runs of agents on this machine. */
export function runner(deps: RunnerDeps): StartRun {
  return async (request) => {
    const record = recordOf(request, deps);
    const backend = backendOf(request.agent.backend);
    const command = deps.agentCommand ?? backend?.binary;
    const binary = command === undefined ? undefined : await findBinary(command, deps.environment.PATH);
    if (backend === undefined || binary === undefined)
      return notStarted(
        record,
        deps,
        backend === undefined ? `there is no backend called ${request.agent.backend}` : missing(command ?? ""),
      );
    const ledgerFolder = join(deps.beadsFolder, request.agent.name);
    await mkdir(ledgerFolder, { recursive: true, mode: 0o700 });
    return new GovernedRun(request, { record, backend, binary, ledgerFolder }, deps);
  };
}

function recordOf({ agent, trigger, by, assignment }: RunRequest, { runs, clock }: RunnerDeps): nestRuns.Run {
  const { issue, message } = assignment;
  return {
    id: runs.newId(agent.name),
    agent: agent.name,
    backend: agent.backend,
    ...(agent.model === undefined ? {} : { model: agent.model }),
    trigger,
    ...(by === undefined ? {} : { by }),
    ...(issue === undefined ? {} : { issue: keyOf(issue) }),
    ...(issue === undefined && message === undefined ? {} : { title: issue?.title ?? message?.slice(0, 200) ?? "" }),
    started_at: new Date(clock.now()).toISOString(),
    links: [],
  };
}

/** A run that ends before it begins: kept like any other, so that people see it. */
function notStarted(record: nestRuns.Run, { runs, clock }: RunnerDeps, summary: string): ActiveRun {
  const begun = { ...record, prompt: "", environment: [], last_lines: [] };
  const ended = async () => {
    const end = { ...begun, ended_at: new Date(clock.now()).toISOString(), outcome: "not_started" as const, summary };
    await runs.begin(begun).catch(() => undefined);
    return runs.end(end).catch(() => end);
  };
  return {
    record,
    ended: ended(),
    tail: async () => "",
    prompt: () => "",
    printed: () => 0,
    standstill: () => undefined,
    hasBegun: () => true,
    end: async () => undefined,
  };
}

function missing(command: string): string {
  return command.includes("/")
    ? `the agent's program is not there: ${command}`
    : `the agent's program is not installed: ${command} is not on PATH`;
}
