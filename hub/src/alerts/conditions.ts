import { cutBytes, plainLine } from "@nest/kit";
import type { HubAlertKind } from "@nest/protocol";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What is looked at, all at one moment. */
export interface Facts {
  readonly now: number;
  readonly unreadable: readonly { readonly repo: string; readonly because: string }[];
  /** Whether admins have suspended the handing out of work. */
  readonly isSuspended: boolean;
  readonly onOffer: number;
  readonly relays: number;
  /** Those of them that hold no task. */
  readonly idleRelays: number;
  /** When a relay was last given a task; the start of this process where that was longer ago. */
  readonly assignedAt: number;
  /** The tasks that ended within this hour and the last one. */
  readonly lately: { readonly ended: number; readonly failed: number };
  /** When a backup last succeeded; undefined where the hub does not know. */
  readonly backupAt: number | undefined;
  /** What this hub was restored from last; undefined where it never was. */
  readonly restored: { readonly archive: string; readonly madeAt: number; readonly restoredAt: number } | undefined;
  readonly replicas: number;
  /** The most replicas there were within the last hour. */
  readonly replicasBefore: number;
  readonly ending: readonly { readonly what: string; readonly endsAt: number }[];
}

/** Something that is wrong now, and is told of when it has been for `forMs`. */
export interface Condition {
  /** The same as long as it is the same trouble. */
  readonly key: string;
  readonly kind: HubAlertKind;
  readonly forMs: number;
  readonly title: string;
  readonly text: string;
}

/** Of fewer endings a share says nothing. */
const FEWEST_ENDED = 10;
const FAILING_SHARE = 0.5;
const STUCK_MS = 30 * MINUTE_MS;
/** A daily backup may be two hours late. */
const BACKUP_MS = 26 * HOUR_MS;
const SOON_MS = 7 * DAY_MS;
const REPOSITORIES_NAMED = 5;

/** Everything that is wrong. Pure. */
export function conditionsOf(facts: Facts): Condition[] {
  return [
    ...codeHost(facts),
    ...queue(facts),
    ...failures(facts),
    ...backup(facts),
    ...restored(facts),
    ...replicas(facts),
    ...credentials(facts),
  ];
}

function codeHost({ unreadable }: Facts): Condition[] {
  if (unreadable.length === 0) return [];
  const named = unreadable.slice(0, REPOSITORIES_NAMED).map(({ repo, because }) => `${repo}: ${line(because)}`);
  const more = unreadable.length - named.length;
  const title =
    unreadable.length === 1 ? "A repository cannot be read" : `${unreadable.length} repositories cannot be read`;
  const text = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return [{ key: "code_host_failing", kind: "code_host_failing", forMs: 10 * MINUTE_MS, title, text }];
}

function queue({ isSuspended, onOffer, relays, idleRelays, assignedAt, now }: Facts): Condition[] {
  if (isSuspended || relays === 0) return [];
  if (onOffer === 0) {
    const text = `${relays} relays are connected.`;
    return [{ key: "queue_empty", kind: "queue_empty", forMs: 2 * HOUR_MS, title: "Nothing is on offer", text }];
  }
  if (idleRelays === 0 || now - assignedAt < STUCK_MS) return [];
  const text = `${onOffer} issues are on offer and ${idleRelays} relays without a task. Limits, pauses or model rules may keep them from it.`;
  const title = "Nobody was given a task for half an hour";
  // The half hour is counted from the last task; this is for relays that connect one after the other.
  return [{ key: "queue_stuck", kind: "queue_stuck", forMs: 5 * MINUTE_MS, title, text }];
}

function failures({ lately: { ended, failed } }: Facts): Condition[] {
  if (ended < FEWEST_ENDED || failed / ended <= FAILING_SHARE) return [];
  const text = `${failed} of ${ended} tasks that ended in this hour and the last one failed.`;
  return [{ key: "failure_rate", kind: "failure_rate", forMs: 0, title: "Most tasks fail", text }];
}

function backup({ backupAt, now }: Facts): Condition[] {
  if (backupAt === undefined || now - backupAt < BACKUP_MS) return [];
  const text = `The last one that succeeded was made at ${moment(backupAt)}.`;
  return [{ key: "backup_old", kind: "backup_old", forMs: 0, title: "The last backup is too old", text }];
}

/**
 * A restore is over once the restored hub has been backed up (docs/operations.md, the restore drill); where the hub does not know of
 * its backups, after a day.
 */
function restored({ restored: from, backupAt, now }: Facts): Condition[] {
  if (from === undefined) return [];
  const { archive, madeAt, restoredAt } = from;
  const isOver = backupAt === undefined ? now - restoredAt >= DAY_MS : backupAt > restoredAt;
  if (isOver) return [];
  const lost = `What happened between ${moment(madeAt)} and ${moment(restoredAt)} is not in it: pull requests of that time are not counted, settings of that time are as before.`;
  const end = backupAt === undefined ? "" : " The next backup that succeeds ends this.";
  const text = `It was made from ${line(archive)}. ${lost}${end}`;
  return [{ key: "hub_restored", kind: "hub_restored", forMs: 0, title: "The hub was restored from a backup", text }];
}

function replicas({ replicas: count, replicasBefore }: Facts): Condition[] {
  if (count >= replicasBefore) return [];
  const text = `${count} of ${replicasBefore} are left.`;
  return [
    { key: "replica_lost", kind: "replica_lost", forMs: 2 * MINUTE_MS, title: "A replica of the hub is gone", text },
  ];
}

function credentials({ ending, now }: Facts): Condition[] {
  return ending
    .filter(({ endsAt }) => endsAt - now < SOON_MS)
    .map(({ what, endsAt }) => ({
      key: `credential_ending:${what}`,
      kind: "credential_ending",
      forMs: 0,
      title: `${line(what)} ${endsAt > now ? "ends soon" : "has ended"}`,
      text: `${endsAt > now ? "It ends" : "It ended"} at ${moment(endsAt)}.`,
    }));
}

function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function line(text: string): string {
  return cutBytes(plainLine(text), 150);
}
