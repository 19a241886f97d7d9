import type { Clock, Log } from "@nest/kit";
import { sentenceOf } from "@nest/kit";
import type { nestWork, RunOutcome } from "@nest/protocol";
import { type IssueHistory, recordAfter } from "./issue-history.ts";
import { type JudgeRules, judgeBy, keyOf } from "./judge.ts";
import { issueFor, type Judged, judgeAll, type WorkQueue } from "./queue.ts";
import type { Scanner } from "./scan.ts";
import type { WorkLedger } from "./work-ledger.ts";

export interface WorkBoardDeps {
  readonly scanner: Scanner;
  readonly ledger: WorkLedger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which part of the work a page shows. */
export interface WorkQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** `actionable`, or the reason why it is held back. */
  readonly show?: string | undefined;
  /** Part of key, title, author or label. */
  readonly search?: string | undefined;
}

/** The open issues of the monitored repositories with what is judged of them, which agent works on which, and what became of it. */
export class WorkBoard {
  readonly #deps: WorkBoardDeps;
  /** By agent, the issue that it works on now. */
  readonly #taken = new Map<string, string>();
  #judge: ReturnType<typeof judgeBy>;
  #queue: WorkQueue = { items: [], actionable: [] };
  #blocked: ReadonlySet<string> = new Set();
  #history: IssueHistory;

  constructor(rules: JudgeRules, history: IssueHistory, deps: WorkBoardDeps) {
    this.#deps = deps;
    this.#judge = judgeBy(rules);
    this.#history = history;
  }

  get history(): IssueHistory {
    return this.#history;
  }

  get actionable(): readonly Judged[] {
    return this.#queue.actionable;
  }

  get heldBack(): number {
    return this.#queue.items.length - this.#queue.actionable.length;
  }

  /** Goes by other rules from now on. */
  setRules(rules: JudgeRules): void {
    this.#judge = judgeBy(rules);
    this.judgeAnew();
  }

  /** Reads the repositories and the ledger, and judges what is open. */
  async read(repos: readonly string[], signal: AbortSignal): Promise<void> {
    const { scanner, ledger, log } = this.#deps;
    await scanner.scan(repos, signal);
    this.#blocked = await ledger.blockedIssues().catch((thrown: unknown) => {
      log.warn({ err: sentenceOf(thrown) }, "the work ledger cannot be read");
      return this.#blocked;
    });
    this.judgeAnew();
  }

  /** Judges what is known anew, without asking anybody. */
  judgeAnew(): void {
    const { scanner, clock } = this.#deps;
    this.#queue = judgeAll(scanner.repos, this.#judge, {
      claimed: scanner.claimed(),
      inProgress: new Set(this.#taken.values()),
      blocked: this.#blocked,
      history: this.#history,
      now: clock.now(),
    });
  }

  /** One open issue, whatever was judged of it. */
  find(key: string): Judged | undefined {
    return this.#queue.items.find((item) => item.key === key);
  }

  /** The oldest issue that this agent may take. */
  issueFor(agent: Parameters<typeof issueFor>[0]): Judged | undefined {
    return issueFor(agent, this.#queue.actionable);
  }

  /** An agent works on an issue from now on. */
  take(agent: string, { issue }: Judged): void {
    this.#taken.set(agent, keyOf(issue));
    this.judgeAnew();
  }

  /** An agent's run ended so. */
  async release(agent: string, outcome: RunOutcome, summary: string | undefined): Promise<void> {
    const key = this.#taken.get(agent);
    if (key === undefined) return;
    this.#taken.delete(agent);
    const record = recordAfter(this.#history[key], { agent, outcome, endedAt: this.#deps.clock.now() });
    if (record !== undefined) this.#history = { ...this.#history, [key]: record };
    this.judgeAnew();
    await this.#deps.ledger
      .end(agent, key, outcome, summary)
      .catch((thrown: unknown) =>
        this.#deps.log.warn({ err: sentenceOf(thrown) }, "the work ledger cannot be written"),
      );
  }

  /** A page of the issues, oldest first, with how many are held back and why. */
  page({ limit, cursor, show, search }: WorkQuery): ReturnType<(typeof nestWork.work)["reply"]["parse"]> {
    const wanted = search?.toLowerCase();
    const items = this.#queue.items.filter(
      (item) =>
        (show === undefined || (item.judgement?.reason ?? "actionable") === show) &&
        (wanted === undefined || textOf(item).includes(wanted)),
    );
    const from = Number(cursor ?? 0);
    const heldBack: Record<string, number> = {};
    for (const { judgement } of this.#queue.items)
      if (judgement !== undefined) heldBack[judgement.reason] = (heldBack[judgement.reason] ?? 0) + 1;
    return {
      items: items.slice(from, from + limit).map((item) => this.#view(item)),
      ...(from + limit < items.length ? { next_cursor: String(from + limit) } : {}),
      actionable: this.#queue.actionable.length,
      held_back: heldBack,
      repos: this.repos(),
    };
  }

  /** How each repository was read last. */
  repos(): nestWork.RepoScan[] {
    return this.#deps.scanner.repos.map(({ repo, issues, pullRequests, readAt, error }) => ({
      repo,
      issues: issues.length,
      pull_requests: pullRequests.length,
      ...(readAt === undefined ? {} : { read_at: timeOf(readAt) }),
      ...(error === undefined ? {} : { error }),
    }));
  }

  /** As of when the queue is; nothing while a repository was never read, or where there is none. */
  readAt(): Pick<nestWork.GovernorStatus, "queue_read_at"> {
    const moments = this.#deps.scanner.repos.map(({ readAt }) => readAt);
    const oldest = Math.min(...moments.map((readAt) => readAt ?? Number.NaN));
    return Number.isFinite(oldest) ? { queue_read_at: timeOf(oldest) } : {};
  }

  #view({ key, issue, judgement }: Judged): nestWork.WorkItem {
    const agent = [...this.#taken].find(([, taken]) => taken === key)?.[0] ?? this.#history[key]?.agent;
    return {
      key,
      repo: issue.repo,
      number: issue.number,
      title: issue.title,
      url: issue.url,
      author: issue.author,
      labels: [...issue.labels],
      created_at: timeOf(issue.createdAt),
      ...(judgement === undefined ? {} : { reason: judgement.reason }),
      ...(judgement?.until === undefined ? {} : { until: timeOf(judgement.until) }),
      ...(agent === undefined ? {} : { agent }),
    };
  }
}

function textOf({ key, issue }: Judged): string {
  return `${key} ${issue.title} ${issue.author} ${issue.labels.join(" ")}`.toLowerCase();
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
