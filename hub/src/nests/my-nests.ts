import type { HostedNestRecord } from "@nest/protocol";
import { isOwnerOf } from "./nest-people.ts";
import { type Person, roleOn } from "./roles.ts";

/** What somebody asks of the list of nests. */
export interface NestFilter {
  readonly q?: string | undefined;
  readonly status?: string | undefined;
  readonly cluster?: string | undefined;
  readonly sort: "name" | "created" | "status" | "heartbeat";
}

export interface MyNests {
  /** Those that match, in order. */
  readonly matching: readonly HostedNestRecord[];
  /** All that the person may see. */
  readonly total: number;
  /** How many of those that match stand where. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Nests that count against their quota. */
  readonly used: number;
}

/**
 * The nests that somebody may see: their own, those they have a role on, all for a hub admin, whether or not a nest was ever heard
 * of (spec: Visibility). `heardAt`: the time of a nest's last heartbeat.
 */
export function myNests(
  records: readonly HostedNestRecord[],
  person: Person,
  filter: NestFilter,
  heardAt: (id: string) => number,
): MyNests {
  const visible = records.filter((record) => roleOn(record, person) !== undefined);
  const matching = visible.filter((record) => matches(record, filter));
  const byStatus: Record<string, number> = {};
  for (const { status } of matching) byStatus[status] = (byStatus[status] ?? 0) + 1;
  matching.sort(order(filter.sort, heardAt));
  return { matching, total: visible.length, byStatus, used: usedBy(records, person.login) };
}

/** How many nests somebody owns. */
export function usedBy(records: readonly HostedNestRecord[], login: string): number {
  return records.filter((record) => isOwnerOf(login, record)).length;
}

function matches(record: HostedNestRecord, { q = "", status, cluster }: NestFilter): boolean {
  if (status !== undefined && record.status !== status) return false;
  if (cluster !== undefined && record.cluster_id !== cluster) return false;
  const wanted = q.trim().toLowerCase();
  if (wanted === "") return true;
  const words = [record.id, record.project_name, record.org, record.owner, record.primary_repo, ...record.repos];
  return words.some((word) => word.toLowerCase().includes(wanted));
}

type Order = (a: HostedNestRecord, b: HostedNestRecord) => number;

function order(by: NestFilter["sort"], heardAt: (id: string) => number): Order {
  const byName: Order = (a, b) => nameOf(a).localeCompare(nameOf(b)) || a.id.localeCompare(b.id);
  const orders: Readonly<Record<NestFilter["sort"], Order>> = {
    name: byName,
    created: (a, b) => b.created_at.localeCompare(a.created_at) || byName(a, b),
    status: (a, b) => a.status.localeCompare(b.status) || byName(a, b),
    heartbeat: (a, b) => heardAt(b.id) - heardAt(a.id) || byName(a, b),
  };
  return orders[by];
}

function nameOf({ project_name: name, org, primary_repo: repo, id }: HostedNestRecord): string {
  return name !== "" ? name : org === "" ? id : `${org}/${repo}`;
}
