import type { Ledger } from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { fleet, type Heartbeat } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import type { ReadModel } from "../operations/read-model.ts";
import type { FleetRegistry } from "./registry.ts";

export interface FleetRouteDeps {
  readonly registry: FleetRegistry;
  readonly readModel: ReadModel;
  readonly ledger: Ledger;
  /** The heartbeat as the registry shall take it; undefined for one of a nest that was deleted. */
  readonly take: (heartbeat: Heartbeat) => Promise<Heartbeat | undefined>;
}

/** Routes for heartbeats, the registry and the hub's statistics. */
export function registerFleetRoutes(routes: HubRoutes, { registry, readModel, ledger, take }: FleetRouteDeps): void {
  routes.serve(fleet.heartbeat, async ({ body, viewer }) => {
    // A nest's own key opens that nest alone.
    if (viewer.kind === "spoke" && viewer.nestId !== undefined && viewer.nestId !== body.nest_id) {
      registry.noteRejected(body.nest_id);
      throw new NestError("spoke_unauthorized", "unauthorized");
    }
    const heartbeat = await take(body);
    if (heartbeat === undefined)
      throw new NestError("nest_gone", "this nest was deleted on the hub", { hint: "remove what is left of it" });
    if (!registry.beat(heartbeat)) throw new NestError("registry_full", "the fleet registry is full");
    return { ok: true as const };
  });
  routes.serve(fleet.registry, ({ query: { limit = Number.MAX_SAFE_INTEGER, cursor } }) => {
    const all = registry.list();
    const from = Number(cursor ?? 0);
    return {
      nests: all.slice(from, from + limit).map((nest) => ({ ...nest })),
      ...(from + limit < all.length ? { next_cursor: String(from + limit) } : {}),
    };
  });
  routes.serve(fleet.explainOffline, ({ params: { id = "" } }) => registry.explain(id));
  routes.serve(fleet.stats, () => {
    const nests = registry.list();
    const status = readModel.status(() => true);
    let completed = 0;
    let verified = 0;
    for (const contributor of ledger.contributors()) {
      completed += contributor.completed;
      verified += contributor.verified;
    }
    return {
      nests: nests.length,
      online: nests.filter(({ online }) => online).length,
      agents: nests.reduce((sum, { agents }) => sum + agents.length, 0),
      contributors: status.total_registered,
      active_contributors: status.active_contributors,
      repositories: status.repositories.length,
      issues: status.total_items,
      actionable_items: status.actionable_items,
      in_flight: status.in_flight,
      tasks_completed: completed,
      prs: verified,
    };
  });
}
