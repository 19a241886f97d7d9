import { type alerts, type HubAlertKind, hubAlertKinds, type NotificationKind } from "@nest/protocol";

/** A channel as it is written into the form: every field a text. */
export interface ChannelDraft {
  readonly name: string;
  readonly kind: NotificationKind;
  readonly url: string;
  readonly host: string;
  readonly port: string;
  readonly tls: "" | "implicit" | "starttls" | "none";
  readonly user: string;
  readonly from: string;
  /** Addresses, one a line. */
  readonly to: string;
  readonly events: readonly HubAlertKind[];
  readonly quiet_hours: string;
  readonly timezone: string;
  readonly digest_minutes: string;
  readonly secret: string;
}

const EMPTY: ChannelDraft = {
  name: "",
  kind: "webhook",
  url: "",
  host: "",
  port: "",
  tls: "",
  user: "",
  from: "",
  to: "",
  events: hubAlertKinds,
  quiet_hours: "",
  timezone: "",
  digest_minutes: "",
  secret: "",
};

/** What the form begins with: a new channel, or one that is there. Pure. */
export function draftOf(channel: alerts.AlertChannel | undefined): ChannelDraft {
  if (channel === undefined) return EMPTY;
  const { name, config } = channel;
  const shared = {
    ...EMPTY,
    name,
    kind: config.kind,
    events: config.events,
    quiet_hours: config.quiet_hours ?? "",
    timezone: config.timezone ?? "",
    digest_minutes: config.digest_minutes ? String(config.digest_minutes) : "",
    secret: config.secret ?? "",
  };
  if (config.kind !== "email") return { ...shared, url: config.url ?? "" };
  const { host, port, tls, user, from, to } = config;
  return {
    ...shared,
    ...{ host, port: port ? String(port) : "", tls: tls ?? "", user: user ?? "", from },
    to: [to].flat().join("\n"),
  };
}

/** The configuration that a draft stands for; the hub checks it. Pure. */
export function configOf(draft: ChannelDraft): alerts.AlertChannelConfig {
  const { kind, url, events, quiet_hours, timezone, digest_minutes, secret } = draft;
  const shared = {
    events: [...events],
    ...(quiet_hours === "" ? {} : { quiet_hours }),
    ...(timezone === "" ? {} : { timezone }),
    ...(digest_minutes === "" ? {} : { digest_minutes: Number(digest_minutes) }),
    ...(secret === "" ? {} : { secret }),
  };
  if (kind === "slack") return { kind, ...(url === "" ? {} : { url }), ...shared };
  if (kind !== "email") return { kind, url, ...shared };
  const { host, port, tls, user, from, to } = draft;
  const addresses = to.split("\n").flatMap((line) => line.trim() || []);
  return {
    ...{ kind, host, from, to: addresses, ...shared },
    ...(port === "" ? {} : { port: Number(port) }),
    ...(tls === "" ? {} : { tls }),
    ...(user === "" ? {} : { user }),
  };
}

/** Whether a draft leads a channel elsewhere, so that its saved secret does not go with it. Pure. */
export function leadsElsewhere(draft: ChannelDraft, channel: alerts.AlertChannel): boolean {
  return placeIn(configOf(draft)) !== placeIn(configOf(draftOf(channel)));
}

/**
 * A draft after somebody else saved the channel: what was changed in it stays, what was not takes the new value. `both`: the fields
 * that were changed on both sides, to different values. Pure.
 */
export function merged(
  mine: ChannelDraft,
  { base, theirs }: { readonly base: ChannelDraft; readonly theirs: ChannelDraft },
): { readonly draft: ChannelDraft; readonly both: readonly (keyof ChannelDraft)[] } {
  const fields = Object.keys(mine) as (keyof ChannelDraft)[];
  const isOther = (one: ChannelDraft, other: ChannelDraft) => (field: keyof ChannelDraft) =>
    JSON.stringify(one[field]) !== JSON.stringify(other[field]);
  const own = fields.filter(isOther(mine, base));
  const both = own.filter(isOther(theirs, base)).filter(isOther(mine, theirs));
  return { draft: { ...theirs, ...Object.fromEntries(own.map((field) => [field, mine[field]])) }, both };
}

function placeIn(config: alerts.AlertChannelConfig): string {
  const { events: _, quiet_hours, timezone, digest_minutes, secret, ...place } = config;
  return JSON.stringify(place);
}
