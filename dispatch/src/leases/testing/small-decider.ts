import { durations } from "@nest/protocol";
import { type Contributor, newContributor } from "../contributor.ts";
import type { ItemRecord } from "../cooldown.ts";
import type { Candidate, Candidates, DeciderDeps, DeciderPolicy } from "../decider-deps.ts";
import { itemKey, type Lease } from "../lease.ts";
import { Ledger } from "../ledger.ts";

// Builds small ledgers for tests of single decisions: one contributor, `ada`, and her leases.

export const NOW = 1_700_000_000_000;
export const MINUTE = 60_000;

/** The connection that asks or reports in tests; any other name is another connection. */
export const ada = { connection: "conn-here-1", contributorId: "c-ada", identity: "c-ada" } as const;

const LIMITS = { max_per_hour: 0, max_per_day: 0, max_concurrent: 0 };

/** A policy that forbids nothing and limits nothing. */
export const openPolicy: DeciderPolicy = {
  suspended: false,
  disabledTiers: new Set(),
  promotion: { contributorAt: 5, trustedAt: 20 },
  limits: { newcomer: LIMITS, contributor: LIMITS, trusted: LIMITS, merger: LIMITS, advisor: LIMITS },
};

export function aContributor(changes: Partial<Contributor> = {}): Contributor {
  return { ...newContributor({ id: "c-ada", login: "Ada", accountId: 1815, tokenDigest: "digest" }, 0), ...changes };
}

/** Ada's lease on `acme/One#number`, accepted two minutes ago and held by her connection. */
export function aLease(number = 1, changes: Partial<Lease> = {}): Lease {
  return {
    taskId: `t-${number}`,
    gen: 100 + number,
    contributorId: "c-ada",
    identity: "c-ada",
    repo: "acme/One",
    number,
    key: itemKey("acme/One", number),
    title: `Issue ${number}`,
    url: `https://host/acme/One/issues/${number}`,
    itemUpdatedAt: NOW - 60 * MINUTE,
    connection: ada.connection,
    assignedAt: NOW - 3 * MINUTE,
    acceptedAt: NOW - 2 * MINUTE,
    expiresAt: NOW + 10 * MINUTE,
    ...changes,
  };
}

/** The fields by which a relay names a lease, sent from ada's connection. */
export function about({ taskId, gen }: Lease) {
  return { ...ada, taskId, gen };
}

export function aCandidate(number: number): Candidate {
  const { key, repo, title, url } = aLease(number);
  return { key, repo, number, title, url, updatedAt: NOW - number };
}

export interface SmallDecider extends DeciderDeps {
  /** Keys that the queue was asked to check again, in order. */
  readonly touched: string[];
}

export interface InTheLedger {
  readonly leases?: readonly Lease[];
  readonly contributors?: readonly Contributor[];
  readonly items?: readonly ItemRecord[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly policy?: Partial<DeciderPolicy>;
  readonly candidates?: readonly Candidate[];
  readonly isReady?: boolean;
  /** When ada's assignments were made, oldest first. */
  readonly assignedAt?: readonly number[];
  /** Pull requests that were counted before. */
  readonly counted?: readonly string[];
}

/** A real ledger with these rows, a queue that is a list, and a code host whose pull requests are at `https://host/`. */
export function aDecider(on: InTheLedger = {}): SmallDecider {
  const ledger = new Ledger(
    {
      leases: on.leases ?? [],
      items: on.items ?? [],
      contributors: on.contributors ?? [aContributor()],
      gen: 500,
      activityId: 0,
      settings: new Map(Object.entries(on.settings ?? {})),
    },
    {
      assignedAt: (_id, nth) => on.assignedAt?.[nth - 1],
      isCounted: (pull) => on.counted?.includes(pull) === true,
    },
  );
  const touched: string[] = [];
  const candidates: Candidates = {
    isReady: on.isReady ?? true,
    offer: () => on.candidates ?? [],
    digestOf: (key) => `digest of ${key}`,
    touch: (keys) => touched.push(...keys),
  };
  return {
    ledger,
    candidates,
    touched,
    policy: () => ({ ...openPolicy, ...on.policy }),
    times: durations,
    newTaskId: (gen) => `task-${gen}`,
    pullRequestAt,
  };
}

function pullRequestAt(address: string, repo: string) {
  const [, named, number] = /^https:\/\/host\/([^/]+\/[^/]+)\/pull\/(\d+)/.exec(address) ?? [];
  if (named === undefined) return undefined;
  const isOfRepo = named.toLowerCase() === repo.toLowerCase();
  return {
    key: itemKey(named, Number(number)),
    isOfRepo,
    url: `https://host/${isOfRepo ? repo : named}/pull/${number}`,
  };
}

/** The lines of the activity feed since the ledger was made, with the detail if there is one. */
export function feedOf({ ledger }: DeciderDeps): string[] {
  return ledger.changes.activity.map(({ login, action, detail }) =>
    detail === undefined ? `${login} ${action}` : `${login} ${action} (${detail})`,
  );
}
