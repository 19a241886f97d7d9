import type {
  Activity,
  ActivityTask,
  AuditLine,
  Changes,
  Counted,
  Ending,
  Grant,
  PullRequestVerdict,
} from "./changes.ts";
import { noChanges } from "./changes.ts";
import type { Effect } from "./commands.ts";
import { replicaOf } from "./connection.ts";
import type { Contributor } from "./contributor.ts";
import type { ItemRecord } from "./cooldown.ts";
import type { Lease } from "./lease.ts";
import type { BatchResult } from "./ledger-store.ts";

/** A setting in a batch record; without a value, the setting was removed. */
interface SettingRecord {
  readonly name: string;
  readonly value?: unknown;
}

/** A batch as JSON: it is stored in the database, and the other replicas read it from there. */
export interface BatchRecord {
  readonly contributors: readonly Contributor[];
  /** Leases that the batch changed. A lease that ended is left out unless this batch also granted it: its ending has it. */
  readonly leases: readonly Lease[];
  readonly endings: readonly Ending[];
  /** Leases granted in this batch. */
  readonly granted: readonly (readonly [taskId: string, grant: Grant])[];
  readonly items: readonly ItemRecord[];
  readonly activity: readonly Activity[];
  readonly audit: readonly AuditLine[];
  readonly pullRequests: readonly PullRequestVerdict[];
  readonly counted: readonly (Counted & { readonly url: string })[];
  readonly settings: readonly SettingRecord[];
  readonly gen?: number | undefined;
  /** Effects on connections of other replicas. */
  readonly effects: readonly Effect[];
}

/** Makes the record of a batch of `replica`. Of its effects it keeps those that other replicas carry out. */
export function recordOf({ changes, effects }: BatchResult, replica: string): BatchRecord {
  const ended = new Set(changes.endings.map(({ lease }) => lease.taskId));
  const isIncluded = ({ taskId }: Lease) => !ended.has(taskId) || changes.granted.has(taskId);
  return {
    contributors: [...changes.contributors.values()],
    leases: [...changes.leases.values()].filter(isIncluded),
    endings: changes.endings,
    granted: [...changes.granted],
    items: [...changes.items.values()],
    activity: changes.activity.map((line) => ({ ...line, task: line.task && activityTaskOf(line.task) })),
    audit: changes.audit,
    pullRequests: changes.pullRequests,
    counted: [...changes.counted].map(([url, counted]) => ({ url, ...counted })),
    settings: [...changes.settings].map(([name, value]) => ({ name, value })),
    gen: changes.gen,
    effects: effects.flat().filter((effect) => concernsOthers(effect, replica)),
  };
}

/** Makes the batch of a record again. JSON drops undefined values, and the readers treat a missing property as undefined. */
export function batchOfRecord(record: BatchRecord): BatchResult {
  const changes: Changes = {
    ...noChanges(),
    contributors: new Map(record.contributors.map((one) => [one.id, one])),
    leases: new Map(record.leases.map((lease) => [lease.taskId, lease])),
    endings: [...record.endings],
    granted: new Map(record.granted),
    items: new Map(record.items.map((item) => [item.key, item])),
    activity: [...record.activity],
    audit: [...record.audit],
    pullRequests: [...record.pullRequests],
    counted: new Map(record.counted.map(({ url, ...counted }) => [url, counted])),
    settings: new Map(record.settings.map(({ name, value }) => [name, value])),
    gen: record.gen,
  };
  return { changes, effects: [record.effects] };
}

/** Picks the fields that the activity feed needs; a lease has more. */
function activityTaskOf({ taskId, gen, repo, number, title, url }: ActivityTask): ActivityTask {
  return { taskId, gen, repo, number, title, url };
}

/** True for effects on another replica's connection, and on a contributor, whose connections may be at any replica. */
function concernsOthers(effect: Effect, replica: string): boolean {
  if (effect.kind === "close" || effect.kind === "standing") return true;
  if (!("connection" in effect) || effect.connection === "") return false;
  return replicaOf(effect.connection) !== replica;
}
