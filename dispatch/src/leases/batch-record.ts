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

/** A setting as a batch record has it: removed when there is no value. */
interface SettingRecord {
  readonly name: string;
  readonly value?: unknown;
}

/** A batch as JSON: what is written of it, and what other replicas read of it. */
export interface BatchRecord {
  readonly contributors: readonly Contributor[];
  /** Of those that ended, only the ones made in this batch: an ending has its lease. */
  readonly leases: readonly Lease[];
  readonly endings: readonly Ending[];
  /** Leases made in this batch. */
  readonly granted: readonly (readonly [taskId: string, grant: Grant])[];
  readonly items: readonly ItemRecord[];
  readonly activity: readonly Activity[];
  readonly audit: readonly AuditLine[];
  readonly pullRequests: readonly PullRequestVerdict[];
  readonly counted: readonly (Counted & { readonly url: string })[];
  readonly settings: readonly SettingRecord[];
  readonly gen?: number | undefined;
  /** What concerns sockets of other replicas. */
  readonly effects: readonly Effect[];
}

/** A batch of `replica` as a record; of its effects those that others have to carry out. */
export function recordOf({ changes, effects }: BatchResult, replica: string): BatchRecord {
  const ended = new Set(changes.endings.map(({ lease }) => lease.taskId));
  const isTold = ({ taskId }: Lease) => !ended.has(taskId) || changes.granted.has(taskId);
  return {
    contributors: [...changes.contributors.values()],
    leases: [...changes.leases.values()].filter(isTold),
    endings: changes.endings,
    granted: [...changes.granted],
    items: [...changes.items.values()],
    activity: changes.activity.map((line) => ({ ...line, task: line.task && toldOf(line.task) })),
    audit: changes.audit,
    pullRequests: changes.pullRequests,
    counted: [...changes.counted].map(([url, counted]) => ({ url, ...counted })),
    settings: [...changes.settings].map(([name, value]) => ({ name, value })),
    gen: changes.gen,
    effects: effects.flat().filter((effect) => concernsOthers(effect, replica)),
  };
}

/** The batch that a record was made of. JSON drops what is undefined; everything here reads a missing property as that. */
export function decidedOf(record: BatchRecord): BatchResult {
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

/** A lease has more than the feed tells. */
function toldOf({ taskId, gen, repo, number, title, url }: ActivityTask): ActivityTask {
  return { taskId, gen, repo, number, title, url };
}

/** Effects on sockets that are not the replica's own, and on contributors, whose sockets may be anywhere. */
function concernsOthers(effect: Effect, replica: string): boolean {
  if (effect.kind === "close" || effect.kind === "standing") return true;
  if (!("connection" in effect) || effect.connection === "") return false;
  return replicaOf(effect.connection) !== replica;
}
