import {
  type Command,
  compileFilters,
  type DeciderPolicy,
  LeaseDecider,
  Ledger,
  type LedgerPast,
  newContributor,
  Queue,
  type QueueIssue,
} from "@nest/dispatch";
import { scaleDurations, type TierLimits } from "@nest/protocol";
import { Samples } from "../figures/percentiles.ts";
import type { Latencies } from "../load/commands.ts";

export interface GrantFigures {
  readonly name: string;
  readonly issues: number;
  readonly repositories: number;
  /** Of one decision, in milliseconds. */
  readonly decision: Latencies;
}

const REPOSITORIES = 50;
const ISSUES = 100_000;
const CONTRIBUTORS = 1000;
/** Tasks that began and ended before anything is measured: a tenth of the issues have a history, some of it a hold. */
const HISTORY = 10_000;
const GRANTS = 20_000;
/** The naive one takes milliseconds each time. */
const NAIVE_GRANTS = 500;
const FAILS_EVERY = 7;
/** Commands of one turn of the loop. */
const BATCH = 50;
const BEGAN = Date.UTC(2026, 0, 1);
const LONG_AGO = BEGAN - 7 * 24 * 3_600_000;

/**
 * The decision alone, in this process: what a `ready` costs over a long queue with filters, holds, cooldowns, tiers and limits,
 * beside a hub that looks for the best issue each time. Nothing is written, nothing is sent.
 */
export function measureGrants(): GrantFigures[] {
  return [measureDesk(), measureWalk()];
}

function measureDesk(): GrantFigures {
  const hub = new LongQueue();
  hub.work(HISTORY, () => {});
  const decisions = new Samples();
  hub.work(GRANTS, (ms) => decisions.add(ms));
  return { name: "nest hub", issues: ISSUES, repositories: REPOSITORIES, decision: decisions.sum() };
}

/** Every issue looked at for every grant, with what is known of each one ready at hand. */
function measureWalk(): GrantFigures {
  const hub = new LongQueue();
  hub.work(HISTORY, () => {});
  const taken = new Set<string>();
  const decisions = new Samples();
  for (let nth = 0; nth < NAIVE_GRANTS; nth += 1) {
    const began = performance.now();
    let best: { readonly key: string; readonly failures: number; readonly number: number } | undefined;
    for (const entry of hub.queue.entries()) {
      if (entry.withheld !== undefined || taken.has(entry.key)) continue;
      if (best === undefined || entry.failures < best.failures || entry.number < best.number) best = entry;
    }
    if (best !== undefined) taken.add(best.key);
    decisions.add(performance.now() - began);
  }
  return { name: "a walk over every issue", issues: ISSUES, repositories: REPOSITORIES, decision: decisions.sum() };
}

/** The dispatch core over a long queue, as the hub wires it. */
class LongQueue {
  readonly queue: Queue;
  readonly #ledger: Ledger;
  readonly #decider: LeaseDecider;
  #now = BEGAN;
  #turn = 0;

  constructor() {
    const times = scaleDurations(1);
    const past: LedgerPast = { assignedAt: () => LONG_AGO, isCounted: () => false };
    const contributors = Array.from({ length: CONTRIBUTORS }, (_, nth) => contributorOf(nth));
    this.#ledger = new Ledger({ leases: [], items: [], contributors, gen: 0, activityId: 0 }, past);
    this.queue = new Queue({ ledger: this.#ledger, times });
    this.queue.setFilter(compileFilters(FILTERS), BEGAN);
    for (let nth = 0; nth < REPOSITORIES; nth += 1) {
      const repo = `acme/part-${nth}`;
      const issues = Array.from({ length: ISSUES / REPOSITORIES }, (_, at) => issueOf(repo, at + 1));
      this.queue.setIssues(repo, issues, BEGAN);
    }
    this.queue.open();
    this.#decider = new LeaseDecider({
      ledger: this.#ledger,
      candidates: this.queue,
      policy: () => POLICY,
      times,
      newTaskId: (gen) => `task-${gen}`,
      pullRequestAt: () => undefined,
    });
  }

  /** `count` tasks from `ready` to their end, some of them failed; `told` hears what each decision took. */
  work(count: number, told: (ms: number) => void): void {
    for (let nth = 0; nth < count; nth += 1) {
      this.#turn += 1;
      this.#now += 20;
      const who = `c-${this.#turn % CONTRIBUTORS}`;
      const relayIdentity = { connection: `s-${who}`, contributorId: who, identity: who };
      const began = performance.now();
      const [effect] = this.#decider.handle({ kind: "ready", ...relayIdentity }, this.#now);
      told(performance.now() - began);
      if (effect?.kind !== "assign") throw new Error(`no task, but ${effect?.kind}`);
      const { taskId, gen } = effect.lease;
      const task = { ...relayIdentity, taskId, gen };
      this.#decider.handle({ kind: "accepted", ...task }, this.#now);
      this.#decider.handle(this.#turn % FAILS_EVERY === 0 ? failed(task) : completed(task), this.#now);
      if (nth % BATCH === 0) this.#ledger.commit();
    }
  }
}

type Task = Pick<
  Extract<Command, { kind: "completed" }>,
  "connection" | "contributorId" | "identity" | "taskId" | "gen"
>;

function completed(task: Task): Command {
  return { kind: "completed", ...task, prUrl: undefined, verdict: undefined, verdictReason: undefined };
}

function failed(task: Task): Command {
  return { kind: "failed", ...task, reason: "the tests fail", failureKind: "task", permanent: false };
}

/** Looked up at nearly every grant: the windows are full of assignments that are long past. */
const LIMITS: TierLimits = { max_per_hour: 5, max_per_day: 10, max_concurrent: 5 };

const POLICY: DeciderPolicy = {
  suspended: false,
  disabledTiers: new Set(["advisor"]),
  promotion: { contributorAt: 5, trustedAt: 20 },
  limits: {
    newcomer: LIMITS,
    contributor: LIMITS,
    trusted: LIMITS,
    merger: LIMITS,
    advisor: LIMITS,
  },
};

const FILTERS: Parameters<typeof compileFilters>[0] = {
  disabled_repos: ["acme/part-49"],
  contribute_labels_mode: "deny",
  contribute_deny_labels: ["hold", "do-not-*"],
  contribute_deny_titles: ["wip:*"],
  contribute_deny_authors: ["*-bot"],
};

function contributorOf(nth: number) {
  const who = { id: `c-${nth}`, login: `bench-${nth}`, tokenDigest: `digest-${nth}`, accountId: undefined };
  return { ...newContributor(who, BEGAN), tier: "trusted" as const };
}

function issueOf(repo: string, number: number): QueueIssue {
  return {
    repo,
    number,
    title: number % 20 === 0 ? `WIP: part ${number}` : `The page shows the wrong total (${number})`,
    url: `https://github.com/${repo}/issues/${number}`,
    body: "",
    author: number % 30 === 0 ? "release-bot" : "somebody",
    labels: number % 25 === 0 ? ["bug", "do-not-touch"] : ["bug"],
    assignees: [],
    updatedAt: BEGAN,
  };
}
