import { alerts } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import type { AlertChannels } from "./alert-channels.ts";
import type { AlertWatch } from "./watch.ts";

export interface AlertRouteDeps {
  readonly watch: AlertWatch;
  readonly channels: AlertChannels;
  readonly knowsBackups: boolean;
}

/** Serves admins what is wrong, and the channels that tell it. */
export function registerAlertRoutes(routes: HubRoutes, { watch, channels, knowsBackups }: AlertRouteDeps): void {
  routes.serve(alerts.alerts, async () => ({
    open: Object.values(watch.open).map(({ since, ...alert }) => ({ ...alert, since: new Date(since).toISOString() })),
    channels: await channels.status(),
    knows_backups: knowsBackups,
  }));
  routes.serve(alerts.saveChannel, async ({ params: { name = "" }, query, body, actor }) => {
    return { ok: true as const, place: await channels.save(name, body, actor, query.revision) };
  });
  routes.serve(alerts.removeChannel, async ({ params: { name = "" }, actor }) => {
    await channels.remove(name, actor);
    return { ok: true as const };
  });
  routes.serve(alerts.setSecret, async ({ params: { name = "" }, body, actor }) => {
    await channels.setSecret(name, body, actor);
    return { ok: true as const };
  });
  routes.serve(alerts.clearSecret, async ({ params: { name = "" }, actor }) => {
    await channels.clearSecret(name, actor);
    return { ok: true as const };
  });
  routes.serve(alerts.testChannel, ({ params: { name = "" } }) => channels.test(name));
}
