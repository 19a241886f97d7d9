export {
  type ActivityAction,
  type ActivityEvent,
  type ActivityFacts,
  type ActivitySentence,
  activityActions,
  describeActivity,
  knownActivity,
  saysOperator,
  type Tone,
} from "./activity.ts";
export { type AuditAction, type AuditEvent, type AuditSentence, auditActions, describeAudit } from "./audit.ts";
export { LedgerLine, LogName, SnapshotHead } from "./bead-log.ts";
export {
  Bead,
  BeadChange,
  BeadDraft,
  BeadFilter,
  BeadId,
  type BeadStatus,
  type BeadType,
  beadLimits,
  beadStatuses,
  beadTypes,
  isFinished,
} from "./beads.ts";
export { type ChannelConfig, ChannelName, channelSchema } from "./channel-schema.ts";
export { csvCell } from "./csv-cell.ts";
export {
  type Capabilities,
  cleanDeclared,
  cleanFacts,
  DECLARED_LENGTH,
  type DeclaredFacts,
  type FactName,
  factNames,
} from "./facts.ts";
export { type Frame, readHubFrame, readRelayFrame } from "./frame.ts";
export { type AgentFacts, Heartbeat, NEST_ID_HEADER } from "./heartbeat.ts";
export {
  ClusterRecord,
  HostedNestRecord,
  type HostedStatus,
  hostedStatuses,
  isRoleAtLeast,
  MissingPart,
  MOST_NEST_ID,
  NestId,
  type NestRole,
  NestStep,
  NestTombstone,
  namespaceOf,
  nestAddress,
  nestRoles,
} from "./hosted-nest.ts";
export * as access from "./http/access.ts";
export * as alerts from "./http/alerts.ts";
export * as apiTokens from "./http/api-tokens.ts";
export * as backup from "./http/backup.ts";
export * as contribute from "./http/contribute.ts";
export * as contributors from "./http/contributors.ts";
export { ErrorBody } from "./http/error-body.ts";
export * as fleet from "./http/fleet.ts";
export * as governor from "./http/governor.ts";
export * as health from "./http/health.ts";
export * as issues from "./http/issues.ts";
export * as leaderboard from "./http/leaderboard.ts";
export { spanOf } from "./http/moment.ts";
export * as myContributions from "./http/my-contributions.ts";
export * as nestAgents from "./http/nest-agents.ts";
export { type AgentState, type Autonomy, autonomies, type PauseCause, pauseCauses } from "./http/nest-agents.ts";
export * as nestConfig from "./http/nest-config.ts";
export * as nestEvents from "./http/nest-events.ts";
export * as nestLedger from "./http/nest-ledger.ts";
export * as nestNotifications from "./http/nest-notifications.ts";
export * as nestRuns from "./http/nest-runs.ts";
export { type RunOutcome, runOutcomes } from "./http/nest-runs.ts";
export * as nestSignIn from "./http/nest-sign-in.ts";
export * as nestTerminal from "./http/nest-terminal.ts";
export * as nestWork from "./http/nest-work.ts";
export { describeHeldBack, type HeldBackReason, heldBackReasons } from "./http/nest-work.ts";
export * as nests from "./http/nests.ts";
export * as numbers from "./http/numbers.ts";
export * as operations from "./http/operations.ts";
export * as pages from "./http/pages.ts";
export type { OptionalPaging } from "./http/paging.ts";
export * as pauses from "./http/pauses.ts";
export * as queue from "./http/queue.ts";
export { type Access, type Route, route, scopeOf, type TokenScope, tokenScopes } from "./http/route.ts";
export * as stream from "./http/stream.ts";
export * as tasks from "./http/tasks.ts";
export { httpBase, webSocketAddress } from "./hub-address.ts";
export {
  type Addition,
  additions,
  type HubMessage,
  NO_ACTIVE_LEASE,
  type OwnLimitsLeft,
  RELAY_STOPPED,
} from "./hub-to-relay.ts";
export {
  hubNavigation,
  isUnder,
  type Navigating,
  type NavigationEntry,
  type NestNavigationEntry,
  nestNavigationFor,
} from "./navigation.ts";
export {
  describeNestActivity,
  type NestActivityAction,
  type NestActivityEvent,
  nestActivityActions,
} from "./nest-activity.ts";
export {
  type HubAlertKind,
  hubAlertKinds,
  type NotificationEvent,
  type NotificationKind,
  notificationEventOf,
  notificationEvents,
  notificationKinds,
} from "./notifications.ts";
export {
  closeCodes,
  type Durations,
  durations,
  MAX_FRAME_BYTES,
  QUARANTINE_AT,
  STREAK_AT,
  scaleDurations,
  scaleTransport,
  type TransportTimes,
  transport,
} from "./numbers.ts";
export {
  type AuthRefusalReason,
  authRefusalKind,
  describeOutcome,
  describeUnavailable,
  describeWithheld,
  isKnownUnavailable,
  isWorthWaiting,
  type Outcome,
  taskOutcomes,
  type UnavailableReason,
  type UnfinishedVerdict,
  unavailableReasons,
  unfinishedVerdict,
  type WithheldReason,
  withheldReasons,
} from "./reasons.ts";
export { HeadlessStatus, TaskContext } from "./records.ts";
export { AuthResponse, type FailureKind, failureKindOf, failureKinds, RelayMessage } from "./relay-to-hub.ts";
export {
  type AssignableRole,
  type DelegatableRole,
  delegatableRoles,
  type RoleStanding,
  roleInForce,
} from "./roles.ts";
export { defaultTierLimits, permissionsOf, type Tier, type TierLimits, tiers } from "./tiers.ts";
export { compareVersions, PROTOCOL_VERSION, type VersionVerdict } from "./version.ts";
