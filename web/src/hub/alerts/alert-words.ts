import type { HubAlertKind, NotificationKind } from "@nest/protocol";

/** What a channel can be told of, in words. */
export const alertWords: Readonly<Record<HubAlertKind, string>> = {
  code_host_failing: "A repository cannot be read for 10 minutes",
  queue_empty: "Nothing is on offer for 2 hours while relays are connected",
  queue_stuck: "Issues are on offer, relays without a task, and nobody was given one for half an hour",
  failure_rate: "More than half of the tasks of this hour and the last one failed",
  backup_old: "The last backup is older than 26 hours",
  hub_restored: "The hub was restored from a backup",
  replica_lost: "A replica of the hub is gone",
  credential_ending: "An API token or the hub's certificate ends within 7 days",
};

export const channelKindWords: Readonly<Record<NotificationKind, string>> = {
  webhook: "Webhook (signed JSON)",
  slack: "Slack, or what takes the same",
  ntfy: "ntfy",
  email: "E-mail",
};

/** What a channel's secret is, by kind. */
export const channelSecretWords: Readonly<Record<NotificationKind, string>> = {
  webhook: "The key that signs what is posted, at least 16 characters",
  slack: "The address of the incoming webhook",
  ntfy: "The access token, where the topic needs one",
  email: "The password of the mail server's user",
};
