import type { Heartbeat } from "@nest/protocol";
import type { NestYaml } from "../config/nest-yaml.ts";

/** What a heartbeat says besides the configuration. */
export interface HeartbeatFacts {
  readonly nestId: string;
  readonly version: string;
  readonly now: number;
}

/** The body of one heartbeat (protocol: heartbeat). Absent means unknown: nothing is made up. */
export function heartbeatBody(config: NestYaml, facts: HeartbeatFacts): Heartbeat {
  const { org, repos, primary_repo } = config.project;
  const { dashboard_url, is_public } = config.hub;
  return {
    nest_id: facts.nestId,
    ...(org !== undefined && { org }),
    repos,
    ...(primary_repo !== undefined && { primary_repo }),
    acmm_level: config.acmm_level,
    agents: Object.keys(config.agents).map((name) => ({ name, state: agentState(config, name) })),
    ...(dashboard_url !== undefined && { dashboard_url }),
    is_public,
    version: facts.version,
    timestamp: new Date(facts.now).toISOString(),
  };
}

/** This release starts no agents itself, so one that is switched on is merely configured. */
export function agentState(config: NestYaml, name: string): "configured" | "disabled" {
  return config.agents[name]?.enabled === true ? "configured" : "disabled";
}
