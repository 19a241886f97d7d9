import type { HostedNestRecord } from "@nest/protocol";
import { isOwnerOf } from "./nest-people.ts";
import { type Person, roleOn } from "./roles.ts";

/** What somebody asks of the list of nests. */
export interface NestFilter {
  readonly q?: string | undefined;
  readonly status?: string | undefined;
  readonly cluster?: string | undefined;
  readonly only?: "offline" | "differs" | undefined;
  readonly sort: "name" | "created" | "status" | "heartbeat";
}

/** What is known of a nest beside its record, by its id. */
export interface KnownOfNests {
  /** The time of its last heartbeat. */
  readonly heardAt: (id: string) => number;
  readonly isOnline: (id: string) => boolean;
  readonly differences: (id: string) => number;
}

export interface MyNests {
  /** Those that match, in order. */
  readonly matching: readonly HostedNestRecord[];
  /** All that the person may see. */
  readonly total: number;
  /** How many stand where, of those that match in everything but the status. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Nests that count against their quota. */
  readonly used: number;
}

/**
 * The nests that somebody may see: their own, those they have a role on, all for a hub admin, whether or not a nest was ever heard
 * of (spec: Visibility).
 */
export function myNests(
  records: readonly HostedNestRecord[],
  person: Person,
  filter: NestFilter,
  known: KnownOfNests,
): MyNests {
  const visible = records.filter((record) => roleOn(record, person) !== undefined);
  const anyStatus = visible.filter((record) => matches(record, filter) && isShown(record, filter, known));
  const byStatus: Record<string, number> = {};
  for (const { status } of anyStatus) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const { status: wanted } = filter;
  const matching = anyStatus.filter(({ status }) => wanted === undefined || status === wanted);
  matching.sort(order(filter.sort, known.heardAt));
  return { matching, total: visible.length, byStatus, used: usedBy(records, person.login) };
}

/** How many nests somebody owns. */
export function usedBy(records: readonly HostedNestRecord[], login: string): number {
  return records.filter((record) => isOwnerOf(login, record)).length;
}

function isShown({ id, status }: HostedNestRecord, { only }: NestFilter, known: KnownOfNests): boolean {
  if (only === "offline") return status === "running" && !known.isOnline(id);
  return only !== "differs" || known.differences(id) > 0;
}

function matches(record: HostedNestRecord, { q = "", cluster }: NestFilter): boolean {
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
