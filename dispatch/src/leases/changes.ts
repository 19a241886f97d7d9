import type { AuditEvent, Outcome } from "@nest/protocol";
import type { Contributor } from "./contributor.ts";
import type { ItemRecord } from "./cooldown.ts";
import type { Lease } from "./lease.ts";

export type PullRequestState = "none" | "pending" | "verified" | "refused";

/** What is kept of a lease that ended. */
export interface Ending {
  readonly lease: Lease;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  readonly verdict?: string | undefined;
  readonly failureKind?: string | undefined;
  readonly permanent?: boolean;
  readonly prUrl?: string | undefined;
  readonly prState: PullRequestState;
}

/** One line of the activity feed. */
export interface Activity {
  readonly id: number;
  readonly at: number;
  readonly login: string;
  /** What the ledger is told is an {@link ActivityEvent}; a row may be of another release. */
  readonly action: string;
  /** The task it is about. */
  readonly task?: ActivityTask | undefined;
  /** A pull request, where there is one; else the issue's own address is meant. */
  readonly url?: string | undefined;
  readonly detail?: string | undefined;
}

/** What the feed tells of a task; a lease has all of it. */
export type ActivityTask = Pick<Lease, "taskId" | "gen" | "repo" | "number" | "title" | "url">;

/** One line of the audit: who changed what, with old and new values. */
export type AuditLine = {
  readonly at: number;
  readonly actor: string;
} & AuditEvent;

/** A pull request's verification, by the task that named it. */
export interface PullRequestVerdict {
  readonly taskId: string;
  readonly gen: number;
  readonly state: "verified" | "refused";
  readonly because?: string | undefined;
}

/** To whom a pull request is credited. */
export interface Counted {
  /** The generation of the task that named it. */
  readonly gen: number;
  readonly contributorId: string;
  readonly completedAt: number;
}

/** Which of its contributor's assignments a lease is. */
export interface Grant {
  /** From 1. */
  readonly nth: number;
  /** The generation of the one before; undefined of the first. */
  readonly previous: number | undefined;
}

/** Everything that one batch of commands changed; written in one transaction. */
export interface Changes {
  /** Leases made in this batch, by task id. */
  readonly granted: Map<string, Grant>;
  readonly leases: Map<string, Lease>;
  readonly endings: Ending[];
  readonly items: Map<string, ItemRecord>;
  readonly contributors: Map<string, Contributor>;
  readonly activity: Activity[];
  readonly audit: AuditLine[];
  readonly pullRequests: PullRequestVerdict[];
  /** Pull requests counted for the first time, by `owner/name#number` in lower case. */
  readonly counted: Map<string, Counted>;
  /** Settings changed, by name; undefined removes one. */
  readonly settings: Map<string, unknown>;
  /** The last generation given out. */
  gen: number | undefined;
}

/** What the ledger needs of what is on disk beyond the live rows it keeps in memory. */
export interface LedgerPast {
  /** When the contributor's `nth` assignment (from 1) was made (ms); undefined when unknown. */
  assignedAt(contributorId: string, nth: number): number | undefined;
  /** Whether a pull request was counted before, whatever task named it. */
  isCounted(pull: string): boolean;
}

export interface LedgerRows {
  readonly leases: readonly Lease[];
  readonly items: readonly ItemRecord[];
  readonly contributors: readonly Contributor[];
  readonly gen: number;
  readonly activityId: number;
  readonly settings?: ReadonlyMap<string, unknown>;
}

/** Nothing changed yet. */
export function noChanges(): Changes {
  return {
    granted: new Map(),
    leases: new Map(),
    endings: [],
    items: new Map(),
    contributors: new Map(),
    activity: [],
    audit: [],
    pullRequests: [],
    counted: new Map(),
    settings: new Map(),
    gen: undefined,
  };
}
