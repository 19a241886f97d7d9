import type { NestActivityAction } from "./nest-activity.ts";

/** How a nest can tell people elsewhere what happened. */
export const notificationKinds = ["webhook", "slack", "ntfy", "email"] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** What people can be told of, in classes that they choose from. */
export const notificationEvents = [
  "run_failed",
  "run_shipped",
  "agent_paused",
  "repository_unreadable",
  "hub_refuses",
  "backup",
  "nest_started",
] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

const eventOf: Readonly<Partial<Record<NestActivityAction, NotificationEvent>>> = {
  "run shipped": "run_shipped",
  "run failed": "run_failed",
  "run was blocked": "run_failed",
  "run took too long": "run_failed",
  "run went round in a loop": "run_failed",
  "run stood still": "run_failed",
  "run could not start": "run_failed",
  "agent paused": "agent_paused",
  "repository unreadable": "repository_unreadable",
  "hub refuses heartbeats": "hub_refuses",
  "backup taken": "backup",
  "backup failed": "backup",
  "backup key saved": "backup",
  "backup key removed": "backup",
  "backup key settings changed": "backup",
  "nest started": "nest_started",
};

/** The class of a line of a nest's activity; undefined for lines that nobody is notified of. */
export function notificationEventOf(action: string): NotificationEvent | undefined {
  return Object.hasOwn(eventOf, action) ? eventOf[action as NestActivityAction] : undefined;
}

/** What a hub can tell people of elsewhere: each once when it begins, and once when it is over. */
export const hubAlertKinds = [
  "code_host_failing",
  "queue_empty",
  "queue_stuck",
  "failure_rate",
  "backup_old",
  "hub_restored",
  "replica_lost",
  "credential_ending",
] as const;
export type HubAlertKind = (typeof hubAlertKinds)[number];
