import type { AgentFacts, Heartbeat, nestAgents, nestWork } from "@nest/protocol";
import type { NestYaml } from "../config/nest-yaml.ts";

/** What a heartbeat says besides the configuration. */
export interface HeartbeatFacts {
  readonly nestId: string;
  readonly version: string;
  readonly startedAt: number;
  readonly now: number;
  readonly agents: readonly nestAgents.NestAgent[];
  readonly governor: nestWork.GovernorStatus;
  /** Tokens of the last day, as far as the agents' CLIs say them. */
  readonly tokens24h: number;
  /** The nest is not linked to the code host yet. */
  readonly isUnlinked: boolean;
}

/** The body of one heartbeat (docs/protocol.md). Absent means unknown: nothing is made up. */
export function heartbeatBody(config: NestYaml, facts: HeartbeatFacts): Heartbeat {
  const { org, repos, primary_repo } = config.project;
  const { dashboard_url, is_public, nest_type } = config.hub;
  const { mode, actionable, open_pull_requests } = facts.governor;
  return {
    nest_id: facts.nestId,
    ...(org !== undefined && { org }),
    repos,
    ...(primary_repo !== undefined && { primary_repo }),
    acmm_level: config.acmm_level,
    agents: facts.agents.map(agentFacts),
    governor: { mode, issues: actionable, prs: open_pull_requests },
    tokens_24h: facts.tokens24h,
    ...(dashboard_url !== undefined && { dashboard_url }),
    is_public,
    ...(nest_type !== undefined && { nest_type }),
    version: facts.version,
    started_at: new Date(facts.startedAt).toISOString(),
    github_app_required: facts.isUnlinked,
    timestamp: new Date(facts.now).toISOString(),
  };
}

function agentFacts(agent: nestAgents.NestAgent): AgentFacts {
  const { pause } = agent;
  return {
    name: agent.name,
    state: agent.state,
    backend: agent.backend,
    enabled: agent.enabled,
    ...(pause === undefined
      ? {}
      : {
          paused: {
            cause: pause.cause,
            reason: pause.reason.slice(0, 300),
            ...(pause.by === undefined ? {} : { by: pause.by }),
          },
        }),
    needs_login: pause?.cause === "login",
    quota_exhausted: pause?.cause === "quota",
    ...(agent.running_since === undefined ? {} : { running_since: agent.running_since }),
    ...(agent.last_run === undefined ? {} : { last_run_at: agent.last_run.ended_at }),
    interval_seconds: agent.interval_seconds,
    may: agent.autonomy,
    restarts: agent.restarts,
  };
}
