export { pullRequestAt } from "./contributors/named-pull-request.ts";
export { type RoleSetting, roleFor, roleSettingOf, rolesOf } from "./contributors/roles.ts";
export { Verifier } from "./contributors/verifier.ts";
export { hubWideRefusals } from "./leases/admit.ts";
export { type BatchRecord, batchOfRecord, recordOf } from "./leases/batch-record.ts";
export { changeSetting } from "./leases/change-setting.ts";
export {
  type Activity,
  type Changes,
  type Ending,
  type LedgerPast,
  type LedgerRows,
  noChanges,
} from "./leases/changes.ts";
export { type BatchListener, CommandBatcher } from "./leases/command-batcher.ts";
export type { AskingAgent, Command, Effect, RelayIdentity, SettingChange } from "./leases/commands.ts";
export { connectionId, identityOf, replicaOf } from "./leases/connection.ts";
export { type Contributor, newContributor } from "./leases/contributor.ts";
export type { ItemRecord } from "./leases/cooldown.ts";
export { failuresNow } from "./leases/cooldown.ts";
export type { DeciderPolicy } from "./leases/decider-deps.ts";
export { type Lease, leaseState } from "./leases/lease.ts";
export { LeaseDecider } from "./leases/lease-decider.ts";
export { HOLD_PREFIX, Ledger, PAUSE_PREFIX } from "./leases/ledger.ts";
export type { BatchResult, LedgerStore, ReplicaUpdate } from "./leases/ledger-store.ts";
export { MESSAGE_PREFIX, type Message, messagesTo, withMessage } from "./leases/messages.ts";
export { type OperatorHold, operatorHoldOn, operatorHolds } from "./leases/operator-hold.ts";
export { type Pause, type PauseScope, pauseFor, pauseOf, pauseSettingOf } from "./leases/pause.ts";
export { type HubDatabase, openStorage, type Storage } from "./open-storage.ts";
export { ClaimLedger } from "./queue/claim-ledger.ts";
export type { Entry, QueueIssue } from "./queue/entry.ts";
export { compileFilters, type Filter } from "./queue/filters.ts";
export type { Judgement } from "./queue/issue-rules.ts";
export { Monitor, type QueueFeed } from "./queue/monitor.ts";
export { PatternJudge } from "./queue/pattern-judge.ts";
export {
  compileList,
  faultsOf,
  invalidPattern,
  isBuilt,
  type PatternList,
} from "./queue/pattern-list.ts";
export { MOST_PATTERNS } from "./queue/patterns.ts";
export { ORDER_SETTING, pinnedOrder } from "./queue/pinned-order.ts";
export { Queue } from "./queue/queue.ts";
export { Unblocker } from "./queue/unblocker.ts";
export { RepositoryVisibility } from "./queue/visibility.ts";
export type { Bus } from "./replicas/bus.ts";
export { ReplicaFeed } from "./replicas/replica-feed.ts";
export { Replicas } from "./replicas/replicas.ts";
export { SharedMonitor } from "./replicas/shared-monitor.ts";
export {
  countColumns,
  countKey,
  countLevels,
  type EndingColumn,
  endingColumns,
  WAIT_BOUNDS_MS,
  waitColumns,
} from "./storage/count-tables.ts";
export { PostgresLedger } from "./storage/ledger-postgres.ts";
export { LOG_BYTES } from "./storage/log-length.ts";
export { openPostgres } from "./storage/postgres.ts";
export type { Reader } from "./storage/reader.ts";
export { isNamedBefore, pendingPullRequests } from "./storage/rows.ts";
export { openSqlite } from "./storage/sqlite.ts";
