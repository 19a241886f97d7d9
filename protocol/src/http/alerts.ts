import { z } from "zod";
import { channelSchema } from "../channel-schema.ts";
import { hubAlertKinds } from "../notifications.ts";
import { NotificationChannel } from "./nest-notifications.ts";
import { route } from "./route.ts";

/** A channel over which a hub tells its alerts. */
export const AlertChannelConfig = channelSchema(z.strictObject, hubAlertKinds);
export type AlertChannelConfig = z.infer<typeof AlertChannelConfig>;

const events = z.array(z.enum(hubAlertKinds));

/** A digest of where a channel leads: a secret is given for one place. */
const Place = z.string().regex(/^[0-9a-f]{64}$/, "place: is the one that a channel is shown with");

/** A digest of the state of a channel: a change says on which it was made. */
const Revision = z.string().regex(/^[0-9a-f]{64}$/, "revision: is the one that a channel is shown with, or new");

/** How a channel does, and its configuration. No secret is in it. */
export const AlertChannel = NotificationChannel.extend({
  events,
  config: AlertChannelConfig,
  place: Place,
  revision: Revision,
});
export type AlertChannel = z.infer<typeof AlertChannel>;

export const OpenAlert = z.object({
  kind: z.enum(hubAlertKinds),
  title: z.string(),
  text: z.string(),
  since: z.string(),
});
export type OpenAlert = z.infer<typeof OpenAlert>;

export const alerts = route({
  method: "GET",
  path: "/api/alerts",
  summary: "What is wrong at this hub now, and the channels over which it tells that",
  access: "admin",
  scope: "read",
  reply: z.object({
    open: z.array(OpenAlert),
    channels: z.array(AlertChannel),
    /** False where this hub does not know when its last backup was: NEST_BACKUP_METRICS_FILE is not set. */
    knows_backups: z.boolean(),
  }),
});

const ok = z.object({ ok: z.literal(true) });
const channelPath = "/api/alerts/channels/:name";

export const saveChannel = route({
  method: "PUT",
  path: channelPath,
  summary: "Add a channel or change one. Where it leads somewhere else than before, its saved secret is removed",
  access: "admin",
  // A channel says where secrets go: no token of automation decides that.
  scope: "people",
  body: AlertChannelConfig,
  /** Refused where the channel is in another state by now; `new`: where there is one of this name. */
  query: z.strictObject({ revision: z.union([z.literal("new"), Revision]).optional() }),
  reply: ok.extend({ place: Place }),
});

export const removeChannel = route({
  method: "DELETE",
  path: channelPath,
  summary: "Remove a channel, with its secret and what waits in it",
  access: "admin",
  scope: "configure",
  reply: ok,
});

export const setSecret = route({
  method: "PUT",
  path: `${channelPath}/secret`,
  summary:
    "Save a channel's secret, for the place where the channel leads; it is never shown again, and goes to no other place. Where the channel takes it from a variable: prove that one knows what is in it, for that place",
  access: "admin",
  scope: "people",
  body: z.strictObject({
    secret: z.string({ error: "secret: is required" }).max(2000, "secret: at most 2000 characters"),
    /** The place for which the secret is given: refused where the channel leads elsewhere by now. */
    place: Place.optional(),
  }),
  reply: ok,
});

export const clearSecret = route({
  method: "DELETE",
  path: `${channelPath}/secret`,
  summary: "Remove a channel's secret",
  access: "admin",
  scope: "people",
  reply: ok,
});

export const testChannel = route({
  method: "POST",
  path: `${channelPath}/test`,
  summary: "Send a test message over a channel now, and say what became of it",
  access: "admin",
  scope: "operate",
  reply: z.object({ delivered: z.boolean(), because: z.string().optional(), took_ms: z.number() }),
});
