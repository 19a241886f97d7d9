import type { RouteRegistry } from "@nest/http";
import { nestNotifications } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import type { Notifier } from "./notifier.ts";

export interface NotificationRoutesDeps {
  readonly notifier: Notifier;
  readonly audit: (
    actor: string,
    action: string,
    values: { readonly subject: string; readonly after?: unknown },
  ) => Promise<void>;
}

/** Serves the owner's notifications: how the channels do, their secrets, and a test of each. Each act is audited. */
export function serveNotifications(routes: RouteRegistry<Visitor>, { notifier, audit }: NotificationRoutesDeps): void {
  routes.serve(nestNotifications.notifications, async () => ({ channels: await notifier.status() }));
  routes.serve(nestNotifications.setNotificationSecret, async ({ params: { name = "" }, actor, body }) => {
    const channel = await notifier.setSecret(name, body.secret);
    await audit(actor, "notification secret saved", { subject: name, after: "[secret]" });
    return { ok: true as const, channel };
  });
  routes.serve(nestNotifications.clearNotificationSecret, async ({ params: { name = "" }, actor }) => {
    const channel = await notifier.clearSecret(name);
    await audit(actor, "notification secret removed", { subject: name });
    return { ok: true as const, channel };
  });
  routes.serve(nestNotifications.testNotification, async ({ params: { name = "" }, actor }) => {
    const result = await notifier.test(name);
    await audit(actor, "notification tested", { subject: name, after: { delivered: result.delivered } });
    return result;
  });
}
