import { arch, platform, release, totalmem } from "node:os";
import type { RouteRegistry } from "@nest/http";
import { health } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import type { NestAgents } from "../agents/build-agents.ts";
import type { Configuration } from "../config/configuration.ts";
import { type DeepHealthDeps, deepHealth } from "./deep.ts";

const RUNS = 50;
const LINES = 200;

export interface HealthRoutesDeps {
  readonly agents: NestAgents;
  readonly configuration: Configuration;
  readonly version: string;
  readonly nestId: string;
  /** What the checks look at, asked at the moment of the request. */
  readonly checked: () => DeepHealthDeps;
}

/** Serves what the nest knows of its own health, and a bundle of it for whoever helps. */
export function serveHealth(routes: RouteRegistry<Visitor>, deps: HealthRoutesDeps): void {
  routes.serve(health.deepHealth, () => deepHealth(deps.checked()));
  routes.serve(health.diagnostics, async ({ reply }) => {
    const { governor, runs, feed, secrets } = deps.agents;
    const { memoryUsage, uptime, version: node } = process;
    const checked = deps.checked();
    const bundle = {
      made_at: new Date(checked.now).toISOString(),
      nest_id: deps.nestId,
      version: deps.version,
      machine: { node, platform: platform(), release: release(), arch: arch(), memory_bytes: totalmem() },
      program: { uptime_seconds: Math.round(uptime()), rss_bytes: memoryUsage().rss },
      health: await deepHealth(checked),
      governor: governor.status,
      agents: governor.agents,
      runs: runs.runs.slice(0, RUNS),
      activity: feed.page(LINES).activity,
      provenance: await deps.configuration.provenance(),
    };
    const name = `nest-diagnostics-${deps.nestId}-${bundle.made_at.replace(/[-:]|\.\d+/g, "")}.json`;
    reply.header("content-disposition", `attachment; filename="${name}"`).header("cache-control", "no-store");
    // What each part says is free of secrets already; an agent's own words may not be.
    return reply.type("application/json; charset=utf-8").send(secrets.redact(JSON.stringify(bundle, null, 2)));
  });
}
