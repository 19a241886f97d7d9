import type { RouteRegistry } from "@nest/http";
import { NestError } from "@nest/kit";
import { type NestActivityEvent, nestConfig } from "@nest/protocol";
import type { Configuration } from "./configuration.ts";

export interface ConfigRoutesDeps {
  readonly configuration: Configuration;
  /** Writes a line into the nest's audit. */
  readonly audit: (actor: string, action: string, values?: { before: unknown; after: unknown }) => Promise<void>;
  /** Tells the activity. */
  readonly tell: (event: NestActivityEvent) => void;
  /** Ends the nest and starts it anew. Undefined where whoever started it does that. */
  readonly restart: (() => void) | undefined;
}

/** Serves the owner's view of the configuration, saves, and the restart that some of them need. Each change is audited. */
export function serveConfig<Viewer>(routes: RouteRegistry<Viewer>, deps: ConfigRoutesDeps): void {
  const { configuration, audit, tell, restart } = deps;
  routes.serve(nestConfig.readConfig, () => configuration.view());
  routes.serve(nestConfig.provenance, () => configuration.provenance());
  routes.serve(nestConfig.saveConfig, async ({ body, query, actor }) => {
    const { changed, before, after } = await configuration.save(body, actor, query.revision);
    if (changed.length > 0) await audit(actor, "configuration saved", { before, after });
    if (changed.some((key) => key.startsWith("governor.backup.")))
      tell({ action: "backup key settings changed", detail: `by ${actor}` });
    return { ...(await configuration.view()), ok: true as const, changed: [...changed] };
  });
  routes.serve(nestConfig.restartNest, async ({ actor, reply }) => {
    if (restart === undefined) throw new NestError("conflict", "this nest is restarted by whoever started it");
    await configuration.mustStartAgain();
    await audit(actor, "nest restarted");
    // The answer goes out first: what is open is cut by the restart.
    reply.raw.once("close", restart);
    return { ok: true as const };
  });
}
