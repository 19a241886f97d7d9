// The dispatch core without sockets, disk or clock: for simulations and benchmarks.
export type { Contributor } from "./contributors/standing.ts";
export { PostgresLedger } from "./database/ledger-postgres.ts";
export { type BatchRecord, decidedOf, recordOf } from "./leases/batch-record.ts";
export type { Changes, Ending, LedgerPast, LedgerRows } from "./leases/changes.ts";
export type { Command, Effect, Speaker } from "./leases/commands.ts";
export { connectionId, replicaOf } from "./leases/connection.ts";
export { Desk } from "./leases/desk.ts";
export type { DeskPolicy } from "./leases/desk-parts.ts";
export type { Lease } from "./leases/lease.ts";
export { type Decided, type Disk, LeaseBook, type News } from "./leases/lease-book.ts";
export { Ledger } from "./leases/ledger.ts";
export type { ItemRecord } from "./queue/cooldown.ts";
export type { QueueIssue } from "./queue/entry.ts";
export { compileFilters } from "./queue/filters.ts";
export { Queue } from "./queue/queue.ts";
export { Replicas } from "./replicas/replicas.ts";
