import { type NotificationEvent, type NotificationKind, notificationKinds } from "@nest/protocol";
import { choice, type Field, field, lines, number, text } from "./fields.ts";
import { valueAt } from "./values.ts";

/** The kinds of channels, in words. */
export const kindWords: Readonly<Record<NotificationKind, string>> = {
  webhook: "Webhook (signed JSON)",
  slack: "Slack, or what takes the same",
  ntfy: "ntfy",
  email: "E-mail",
};

const eventWords: Readonly<Record<NotificationEvent, string>> = {
  run_failed: "A run failed or was blocked",
  run_shipped: "A pull request was opened",
  agent_paused: "An agent was paused",
  repository_unreadable: "A repository cannot be read",
  hub_refuses: "The hub refuses the heartbeats",
  backup: "A backup was taken or failed, or its key changed",
  nest_started: "The nest started",
};

/** What a channel's secret is, by kind. */
export const secretWords: Readonly<Record<NotificationKind, string>> = {
  webhook: "The key that signs what is posted, at least 16 characters.",
  slack: "The address of the incoming webhook.",
  ntfy: "The access token, where the topic needs one.",
  email: "The password of the mail server's user.",
};

/** The kind of a channel of the configuration. */
export function kindOf(config: Readonly<Record<string, unknown>>, name: string): NotificationKind | undefined {
  const written = valueAt(config, ["notifications", "channels", name, "kind"]);
  return notificationKinds.find((kind) => kind === written);
}

/** The fields of one channel: where it leads, of what it is told, and when. */
export function channelFields(name: string, kind: NotificationKind): Field[] {
  const at = `notifications.channels.${name}`;
  return [
    ...placeFields(at, kind),
    field({ kind: "checks", key: `${at}.events`, label: "Told of", choices: eventWords }, undefined),
    text(`${at}.quiet_hours`, "Quiet hours", "Such as 22:00-07:00. What comes meanwhile waits, and comes as one."),
    text(`${at}.timezone`, "Time zone", "Of the quiet hours, such as Europe/Berlin. Empty: UTC."),
    number(
      `${at}.digest_minutes`,
      "Minutes of a digest",
      [1, 1440],
      "Messages are gathered for so long, and come as one. Empty: each at once.",
    ),
    text(`${at}.secret`, "Variable of the secret", "Dollar sign, name in braces. Empty: the secret is saved below."),
  ];
}

function placeFields(at: string, kind: NotificationKind): Field[] {
  switch (kind) {
    case "webhook":
      return [text(`${at}.url`, "Address")];
    case "slack":
      return [text(`${at}.url`, "Address", "Only for programs other than Slack. Slack's own address is a secret.")];
    case "ntfy":
      return [text(`${at}.url`, "Address of the topic")];
    case "email":
      return [
        text(`${at}.host`, "Mail server"),
        number(`${at}.port`, "Port", [1, 65_535], "Empty: 587, or 465 with TLS from the first byte."),
        choice(`${at}.tls`, "TLS", ["implicit", "starttls", "none"], "none: for a server on this machine only."),
        text(`${at}.user`, "User"),
        text(`${at}.from`, "From"),
        lines(`${at}.to`, "To", "One address a line."),
      ];
  }
}
