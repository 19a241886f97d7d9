import { z } from "zod";

/** `${NAME}`: a variable of the environment in a secret's place. */
const VARIABLE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Makes a schema for an object: one that tolerates unknown keys, or one that names them. */
export type ObjectMaker = typeof z.looseObject;

/** A channel's name is part of a file's name and of an address. */
export const ChannelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/, "a channel's name has letters, digits, - and _, at most 50");

// What is none is looked at no further: the rest reads it as an address.
const webAddress = z.url({ protocol: /^https?$/, error: "must be an http or https address", abort: true });

const quietHours = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, "must be two times of day such as 22:00-07:00");

const timeZone = z.string().max(100).refine(isTimeZone, "must be the name of a time zone such as Europe/Berlin");

// The address is shown to people; what is secret is kept apart from it.
const openAddress = webAddress
  .max(1000)
  .refine((url) => new URL(url).username === "" && new URL(url).password === "", "must hold no name or password");

const slackAddress = openAddress.refine(
  (url) => new URL(url).hostname !== "hooks.slack.com" || /^\/services\/?$/.test(new URL(url).pathname),
  "holds a secret: write nothing here, and save the whole address as the channel's secret",
);

const hostOfServer = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, "must be the name or address of a server");

function everyKind<Event extends string>(events: readonly [Event, ...Event[]]) {
  return {
    /** Which events it is told of. */
    events: z.array(z.enum(events)).max(events.length),
    quiet_hours: quietHours.nullish(),
    timezone: timeZone.nullish(),
    /** Messages are gathered for so long, and come as one. */
    digest_minutes: z.number().int().min(1).max(1440).nullish(),
    /** `${NAME}`: the secret is in that variable. Otherwise it is saved by itself, in no configuration. */
    secret: z
      .string()
      .refine(
        (written) => VARIABLE.test(written),
        "must name a variable of the environment, with dollar sign and braces, and nothing else",
      )
      .nullish(),
  };
}

/** One channel: where it leads, by kind, of which events it is told, and when. */
export function channelSchema<const Event extends string>(object: ObjectMaker, events: readonly [Event, ...Event[]]) {
  return z.discriminatedUnion("kind", [
    object({ kind: z.literal("webhook"), url: openAddress, ...everyKind(events) }),
    object({ kind: z.literal("slack"), url: slackAddress.nullish(), ...everyKind(events) }),
    object({ kind: z.literal("ntfy"), url: openAddress, ...everyKind(events) }),
    object({
      kind: z.literal("email"),
      host: hostOfServer,
      port: z.number().int().min(1).max(65_535).nullish(),
      /** `implicit` from the first byte, `starttls` before anything else is said, `none` within this machine. */
      tls: z.enum(["implicit", "starttls", "none"]).nullish(),
      user: z.string().min(1).max(320).nullish(),
      from: z.email().max(320),
      to: z.union([z.email().max(320), z.array(z.email().max(320)).min(1).max(20)]),
      ...everyKind(events),
    }),
  ]);
}

export type ChannelConfig<Event extends string = string> = z.infer<ReturnType<typeof channelSchema<Event>>>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
