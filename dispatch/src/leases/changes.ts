import type { AuditEvent, Outcome } from "@nest/protocol";
import type { Contributor } from "./contributor.ts";
import type { ItemRecord } from "./cooldown.ts";
import type { Lease } from "./lease.ts";

export type PullRequestState = "none" | "pending" | "verified" | "refused";

/** The record of a lease that ended. */
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
  /** The ledger writes an {@link ActivityEvent}; a row that another release wrote may hold another text. */
  readonly action: string;
  /** The task that the line is about. */
  readonly task?: ActivityTask | undefined;
  /** The pull request's address, if there is one; otherwise the line links to the issue. */
  readonly url?: string | undefined;
  readonly detail?: string | undefined;
}

/** The fields of a task that the activity feed shows. */
export type ActivityTask = Pick<Lease, "taskId" | "gen" | "repo" | "number" | "title" | "url">;

/** One line of the audit log: who changed what, with old and new values. */
export type AuditLine = {
  readonly at: number;
  readonly actor: string;
} & AuditEvent;

/** The result of verifying a pull request, with the task that named it. */
export interface PullRequestVerdict {
  readonly taskId: string;
  readonly gen: number;
  readonly state: "verified" | "refused";
  readonly because?: string | undefined;
}

/** The task and contributor that a pull request is credited to. */
export interface Counted {
  /** The generation of the task that named it. */
  readonly gen: number;
  readonly contributorId: string;
  readonly completedAt: number;
}

/** The position of a lease among its contributor's assignments. */
export interface Grant {
  /** Counted from 1. */
  readonly nth: number;
  /** The generation of the contributor's previous assignment; undefined for the first. */
  readonly previous: number | undefined;
}

/** Everything that one batch of commands changed; written in one transaction. */
export interface Changes {
  /** Leases granted in this batch, by task id. */
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
  /** Changed settings, by name; undefined removes a setting. */
  readonly settings: Map<string, unknown>;
  /** The last generation that was assigned. */
  gen: number | undefined;
}

/** What the ledger reads from the database, beyond the live rows that it keeps in memory. */
export interface LedgerPast {
  /** When the contributor's `nth` assignment (from 1) was made (ms); undefined when unknown. */
  assignedAt(contributorId: string, nth: number): number | undefined;
  /** Whether a pull request was counted before, for any task. */
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

/** An empty set of changes. */
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
