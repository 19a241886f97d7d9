import type { RouteRegistry } from "@nest/http";
import { type Log, NestError } from "@nest/kit";
import { nestAgents, nestEvents, nestRuns, nestWork } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import { appendAudit, readAudit } from "../backup/audit.ts";
import { mustBeStorable } from "../backup/storage-trouble.ts";
import type { NestAgents } from "./build-agents.ts";

const DAY_MS = 86_400_000;
const SCREEN_LINES = 60;

export interface AgentRoutesDeps {
  readonly agents: NestAgents;
  readonly dataFolder: string;
  readonly log: Log;
  readonly now: () => number;
  /** What the status says besides the governor's own. */
  readonly about: () => Omit<ReturnType<(typeof nestWork.status)["reply"]["parse"]>, "governor">;
  /** Saves a switch of backend, model or the agent itself, and puts it in force. */
  readonly switchAgent: (
    name: string,
    change: { readonly backend?: string; readonly model?: string | null; readonly enabled?: boolean },
    by: string,
  ) => Promise<void>;
}

/** Serves what people see of agents, runs and the queue, and what they may do to agents. Each act is audited. */
export function serveAgents(routes: RouteRegistry<Visitor>, deps: AgentRoutesDeps): void {
  const { governor, terminals, secrets } = deps.agents;
  const act = async (name: string, actor: string, action: string, what: () => Promise<void>, after?: unknown) => {
    // What cannot be written down is not begun: a refusal must leave everything as it was.
    await mustBeStorable(deps.dataFolder);
    await what();
    const at = new Date(deps.now()).toISOString();
    deps.log.info({ actor, agent: name }, action);
    await appendAudit(deps.dataFolder, { at, actor, action, subject: name, ...(after === undefined ? {} : { after }) });
    return { ok: true as const, agent: governor.agent(name) };
  };
  routes.serve(nestAgents.agents, ({ viewer }) => ({
    agents: isPublic(viewer) ? governor.agents.map(publicAgent) : [...governor.agents],
  }));
  routes.serve(nestAgents.kick, ({ params: { name = "" }, actor, body, viewer }) => {
    const isOwners = viewer.kind === "known" && viewer.role === "owner";
    return act(name, actor, "agent kicked", () => governor.kick(name, actor, { ...body, isOwners }), body);
  });
  routes.serve(nestAgents.pause, ({ params: { name = "" }, actor, body }) =>
    act(name, actor, "agent paused", () => governor.pause(name, actor, body), body),
  );
  routes.serve(nestAgents.resume, ({ params: { name = "" }, actor }) =>
    act(name, actor, "agent resumed", () => governor.resume(name, actor)),
  );
  routes.serve(nestAgents.restart, ({ params: { name = "" }, actor }) =>
    act(name, actor, "agent restarted", () => governor.restart(name, actor)),
  );
  routes.serve(nestAgents.switchAgent, ({ params: { name = "" }, actor, body }) => {
    governor.agent(name);
    const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return act(name, actor, "agent switched", () => deps.switchAgent(name, change, actor), change);
  });
  routes.serve(nestAgents.screen, async ({ params: { name = "" } }) => {
    governor.agent(name);
    const session = await terminals.of(name);
    await session.ready();
    const text = secrets.redact(await session.capture("screen"));
    return { lines: text.trimEnd().split("\n").slice(-SCREEN_LINES), at: new Date(deps.now()).toISOString() };
  });
  serveWork(routes, deps);
  serveRuns(routes, deps);
}

function serveWork(
  routes: RouteRegistry<Visitor>,
  { agents: { governor, feed }, dataFolder, now, about }: AgentRoutesDeps,
): void {
  routes.serve(nestWork.work, ({ query }) => governor.work.page(query));
  routes.serve(nestWork.status, ({ viewer }) => {
    if (!isPublic(viewer)) return { ...about(), governor: governor.status };
    const { nest_id, version } = about();
    return { nest_id, version, governor: { ...governor.status, repos: [] } };
  });
  routes.serve(nestWork.evaluate, async () => {
    await governor.evaluate();
    const { status } = governor;
    const unread = status.repos.flatMap(({ repo, error, read_at }) =>
      error === undefined ? [] : [{ repo, error, ...(read_at === undefined ? {} : { read_at }) }],
    );
    return { ok: true as const, governor: status, unread };
  });
  routes.serve(nestWork.workHistory, ({ query }) => ({
    points: governor.queueOverTime.since(now() - query.days * DAY_MS),
  }));
  routes.serve(nestEvents.audit, ({ query }) => readAudit(dataFolder, query));
  routes.serve(nestEvents.activity, ({ query }) => feed.page(query.limit, query.cursor, query.agent));
}

function serveRuns(routes: RouteRegistry<Visitor>, { agents, now }: AgentRoutesDeps): void {
  const { runs } = agents;
  routes.serve(nestRuns.runs, ({ query }) => {
    const { agent, outcome, issue, cursor, limit } = query;
    const wanted = runs.runs.filter(
      (run) =>
        (agent === undefined || run.agent === agent) &&
        (outcome === undefined || run.outcome === outcome) &&
        (issue === undefined || run.issue === issue) &&
        // Names begin with the moment: what is older sorts before.
        (cursor === undefined || run.id < cursor),
    );
    const page = wanted.slice(0, limit);
    return { runs: page, ...(wanted.length > limit ? { next_cursor: page.at(-1)?.id ?? "" } : {}) };
  });
  routes.serve(nestRuns.runDays, ({ query }) => ({ days: runs.days(query.days, now(), query.agent) }));
  routes.serve(nestRuns.run, async ({ params: { id = "" } }) => {
    const run = await runs.read(id);
    if (run === undefined) throw noRun();
    return run;
  });
  routes.serve(nestRuns.recording, async ({ params: { id = "" }, reply }) => {
    const recording = await runs.recording(id);
    if (recording === undefined) throw noRun();
    return reply.type("application/x-asciicast").send(recording);
  });
}

function noRun(): NestError {
  return new NestError("run_not_found", "there is no such run, or its recording is no longer kept");
}

/** Whether somebody sees only what a public nest shows to everybody. */
function isPublic(viewer: Visitor): boolean {
  return viewer.kind === "reader" && viewer.sees === "public";
}

/** An agent without anything that its terminal, an issue or a person said: private repositories may be among them. */
function publicAgent(agent: nestAgents.NestAgent): nestAgents.NestAgent {
  const {
    now_line: _line,
    working_on: _issue,
    trouble: _trouble,
    waits_for: _waits,
    run_id: _run,
    idle_because: _because,
    pause,
    last_run,
    ...rest
  } = agent;
  return {
    ...rest,
    ...(pause === undefined ? {} : { pause: { cause: pause.cause, reason: "paused", since: pause.since } }),
    ...(last_run === undefined ? {} : { last_run: { id: "", ended_at: last_run.ended_at, outcome: last_run.outcome } }),
  };
}
