import { type AuditEvent, nests } from "@nest/protocol";
import type { AutoUpgrade } from "@nest/provisioner";
import type { HubRoutes } from "../access/viewer.ts";

export interface UpgradeRouteDeps {
  readonly autoUpgrade: Pick<AutoUpgrade, "pause" | "setPause">;
  readonly audit: (actor: string, event: AuditEvent) => Promise<void>;
}

/** The switch that stops upgrades of all nests, for admins. */
export function registerUpgradeRoutes(routes: HubRoutes, { autoUpgrade, audit }: UpgradeRouteDeps): void {
  routes.serve(nests.upgradePause, () => autoUpgrade.pause());
  routes.serve(nests.setUpgradePause, async ({ body: { paused, note }, actor }) => {
    const before = await autoUpgrade.pause();
    await autoUpgrade.setPause(paused, actor, note);
    const words = (isPaused: boolean) => (isPaused ? "stopped" : "on");
    await audit(actor, {
      action: "nest upgrades",
      subject: "nests",
      before: words(before.paused),
      after: note === undefined ? words(paused) : `${words(paused)}: ${note}`,
    });
    return { paused };
  });
}
