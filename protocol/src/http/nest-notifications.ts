import { z } from "zod";
import { notificationEvents, notificationKinds } from "../notifications.ts";
import { route } from "./route.ts";

/** A channel over which a nest tells what happened, and whether that works. No secret is in it. */
export const NotificationChannel = z.object({
  name: z.string(),
  kind: z.enum(notificationKinds),
  events: z.array(z.enum(notificationEvents)),
  quiet_hours: z.string().optional(),
  timezone: z.string().optional(),
  /** `saved` here, in a `variable`, `missing`, or `unusable`: `secret_problem` says why. */
  secret: z.enum(["saved", "variable", "missing", "unusable"]),
  secret_problem: z.string().optional(),
  last_delivered_at: z.string().optional(),
  /** The last message that was given up, until another one is delivered. */
  last_error: z.object({ at: z.string(), because: z.string() }).optional(),
  /** Messages that wait for the end of quiet hours, for their turn or for another try. */
  waiting: z.number().int().min(0),
  delivered: z.number().int().min(0),
  given_up: z.number().int().min(0),
});
export type NotificationChannel = z.infer<typeof NotificationChannel>;

export const notifications = route({
  method: "GET",
  path: "/api/notifications",
  summary: "The channels over which this nest tells what happened, and which of them fail",
  access: "owner",
  reply: z.object({ channels: z.array(NotificationChannel) }),
});

export const setNotificationSecret = route({
  method: "PUT",
  path: "/api/notifications/:name/secret",
  summary:
    "Save a channel's secret: key of the signature, address of the Slack hook, token, password of the mail server",
  access: "owner",
  body: z.strictObject({
    secret: z.string({ error: "secret: is required" }).max(2000, "secret: at most 2000 characters"),
  }),
  reply: z.object({ ok: z.literal(true), channel: NotificationChannel }),
});

export const clearNotificationSecret = route({
  method: "DELETE",
  path: "/api/notifications/:name/secret",
  summary: "Remove the secret of a channel that was saved here",
  access: "owner",
  reply: z.object({ ok: z.literal(true), channel: NotificationChannel }),
});

export const testNotification = route({
  method: "POST",
  path: "/api/notifications/:name/test",
  summary: "Send a test message over a channel now, whatever its quiet hours, and say what became of it",
  access: "owner",
  reply: z.object({ delivered: z.boolean(), because: z.string().optional(), took_ms: z.number() }),
});
