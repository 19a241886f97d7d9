import { type CancelTimer, NestError, sentenceOf } from "@nest/kit";
import type { Autonomy, nestAgents, nestRuns, nestWork } from "@nest/protocol";
import { Agent } from "./agents/agent.ts";
import { agentView, spendingView } from "./agents/agent-view.ts";
import { Leaving } from "./agents/leaving.ts";
import type { RunRequest, StartRun } from "./agents/run-port.ts";
import type { PauseWish, Wish } from "./agents/wishes.ts";
import { RepositoryLines } from "./feed/repository-lines.ts";
import { lineOfEnd } from "./feed/run-lines.ts";
import type { GovernorChange, GovernorDeps } from "./governor-deps.ts";
import type { NestState } from "./nest-state.ts";
import { allowanceAt } from "./policy/acmm.ts";
import { cadenceIn, type Mode, modeInForce } from "./policy/modes.ts";
import { nextTurn } from "./policy/schedule.ts";
import type { GovernorSettings } from "./policy/settings.ts";
import { nextDay } from "./policy/spending.ts";
import { overBudget } from "./runs/budget.ts";
import { usedToday } from "./runs/run-days.ts";
import { noIssue } from "./work/no-issue.ts";
import { QueuePoints } from "./work/queue-points.ts";
import { WorkBoard } from "./work/work-board.ts";

/** How often due agents are looked for between evaluations. */
const TICK_MS = 5000;
const PRUNE_EVERY_MS = 3_600_000;

type NewRun = Pick<RunRequest, "trigger" | "by"> & {
  readonly issue?: string | undefined;
  readonly message?: string | undefined;
  /** The most that this run may do. */
  readonly cap?: Autonomy;
};

/**
 * The governor of a nest's agents. It reads the monitored repositories every `eval_interval_s`, judges every open issue, chooses the
 * mode by the number of actionable ones, and sets agents to work that are due: each at the interval that the mode gives it, one run at
 * a time, within its budget and what the ACMM level allows. Every step is safe to repeat: what one evaluation could not do, the next
 * one does.
 */
export class Governor {
  readonly work: WorkBoard;
  /** How long the queue was at each evaluation. */
  readonly queueOverTime: QueuePoints;
  readonly #deps: GovernorDeps;
  readonly #agents = new Map<string, Agent>();
  readonly #listeners = new Set<(change: GovernorChange) => void>();
  readonly #timers: CancelTimer[] = [];
  readonly #stop = new AbortController();
  readonly #repositoryLines: RepositoryLines;
  readonly #leaving: Leaving;
  #settings: GovernorSettings;
  #mode: Mode;
  #modeSince: number;
  #evaluating: Promise<void> | undefined;
  #lastEvalAt: number | undefined;
  #nextEvalAt: number;
  #prunedAt = 0;

  private constructor(settings: GovernorSettings, state: NestState, deps: GovernorDeps) {
    this.#deps = deps;
    this.#repositoryLines = new RepositoryLines(deps.feed);
    this.#leaving = new Leaving({ ...deps, isNamed: (name) => this.#agents.has(name) });
    this.#settings = settings;
    this.work = new WorkBoard(settings, state.issues, deps);
    this.queueOverTime = new QueuePoints(state.queue);
    this.#mode = modeInForce(settings.modes, 0);
    this.#modeSince = deps.clock.now();
    this.#nextEvalAt = deps.clock.now();
    for (const own of settings.agents) this.#agents.set(own.name, this.#agentOf(own, state.agents[own.name] ?? {}));
  }

  /** A governor that remembers what the one before it knew. It does nothing before {@link start}. */
  static async open(settings: GovernorSettings, deps: GovernorDeps): Promise<Governor> {
    return new Governor(settings, await deps.state.read(), deps);
  }

  /** Reads the repositories and sets agents to work, until {@link close}. */
  start(): void {
    this.#timers.push(this.#deps.clock.every(TICK_MS, () => this.#tick()));
    this.#tick();
  }

  /** Ends every run and writes down what outlives the program. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the nest is stopped"));
    for (const cancel of this.#timers.splice(0)) cancel();
    const ending = [...this.#agents.values()].map((agent) => agent.close("the nest's program was stopped"));
    await Promise.all([...ending, this.#leaving.settled()]);
    await this.#evaluating?.catch(() => undefined);
    await this.#save();
    await this.#deps.feed.settled();
  }

  onChange(listener: (change: GovernorChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Goes by other settings from now on. A run in progress ends by those that it began with; an agent that is gone ends its run. */
  apply(settings: GovernorSettings): void {
    this.#settings = settings;
    const named = new Set(settings.agents.map(({ name }) => name));
    for (const [name, agent] of this.#agents) {
      if (named.has(name)) continue;
      this.#agents.delete(name);
      this.#leaving.end(agent);
      this.#tell({ kind: "agent gone", name });
    }
    for (const own of settings.agents) {
      const agent = this.#agents.get(own.name);
      if (agent === undefined) this.#agents.set(own.name, this.#agentOf(own, {}));
      else agent.settings = own;
    }
    this.work.setRules(settings);
    this.#chooseMode();
    this.#endBudgetPauses();
    for (const agent of this.#agents.values()) this.#tell({ kind: "agent", agent: this.#view(agent) });
  }

  /** Reads the repositories and judges the queue now; resolves when it is done. */
  evaluate(): Promise<void> {
    this.#evaluating ??= this.#evaluate().finally(() => {
      this.#evaluating = undefined;
    });
    return this.#evaluating;
  }

  get settings(): GovernorSettings {
    return this.#settings;
  }

  get agents(): readonly nestAgents.NestAgent[] {
    return [...this.#agents.values()].map((agent) => this.#view(agent));
  }

  /** @throws NestError `agent_not_found`. */
  agent(name: string): nestAgents.NestAgent {
    return this.#view(this.#find(name));
  }

  get status(): nestWork.GovernorStatus {
    const { runs, scanner, clock } = this.#deps;
    const used = usedToday(runs.runs, clock.now());
    return {
      mode: this.#mode.name,
      modes: this.#settings.modes.map(({ name, threshold }) => ({ name, threshold })),
      acmm_level: this.#settings.acmmLevel,
      actionable: this.work.actionable.length,
      held_back: this.work.heldBack,
      open_pull_requests: scanner.repos.reduce((sum, { pullRequests }) => sum + pullRequests.length, 0),
      running: [...this.#agents.values()].filter(({ doing }) => doing !== "nothing").length,
      ...(this.#lastEvalAt === undefined ? {} : { last_eval_at: timeOf(this.#lastEvalAt) }),
      ...this.work.readAt(),
      next_eval_at: timeOf(this.#nextEvalAt),
      spending: spendingView(used, this.#settings.limits),
      repos: this.work.repos(),
    };
  }

  /**
   * Sets an agent to work now, whatever its interval.
   *
   * @throws NestError `agent_not_found`, `agent_busy`, `agent_paused`, `agent_disabled`, `acmm_level_zero`, `issue_not_found`.
   */
  async kick(name: string, by: string, { issue, message, isOwners = true }: Wish = {}): Promise<void> {
    const agent = this.#find(name);
    const takesOne = issue === undefined && message === undefined && agent.settings.focus === "issue";
    this.#begin(agent, {
      trigger: "person",
      by,
      issue: takesOne ? this.work.issueFor(agent.settings)?.key : issue,
      message,
      ...(message === undefined || isOwners ? {} : { cap: "advise" as const }),
    });
    await this.#save();
  }

  /** Pauses an agent; on disk when it returns. A run goes on unless it is to stop too; one whose checkout is being made ends. */
  async pause(name: string, by: string, { reason, minutes, stop }: PauseWish): Promise<void> {
    const agent = this.#find(name);
    const since = this.#deps.clock.now();
    const until = minutes === undefined ? undefined : since + minutes * 60_000;
    agent.setPause({ cause: "person", by, reason: reason ?? `paused by ${by}`, since, until });
    await this.#save();
    if (stop === true) await agent.stop({ outcome: "stopped", summary: `${by} stopped it` });
    else if (agent.isPreparing) await agent.stop({ outcome: "stopped", summary: `${by} paused it before it began` });
  }

  /** Ends a pause, whoever or whatever began it; on disk when it returns. */
  async resume(name: string, by: string): Promise<void> {
    this.#find(name).resume();
    this.#deps.feed.tell({ action: "agent resumed", agent: name, detail: `by ${by}` });
    await this.#save();
  }

  /** Ends the run in progress, makes the terminal session anew and sets the agent to work again. */
  async restart(name: string, by: string): Promise<void> {
    const agent = this.#find(name);
    await agent.stop({ outcome: "stopped", summary: `${by} restarted it` });
    await this.#deps.endSession(name);
    agent.restarted();
    this.#deps.feed.tell({ action: "agent restarted", agent: name, detail: `by ${by}` });
    if (agent.settings.enabled && allowanceAt(this.#settings.acmmLevel, name) !== undefined)
      this.#beginIfThereIsWork(agent, { trigger: "restart", by });
    await this.#save();
  }

  #tick(): void {
    if (this.#deps.clock.now() < this.#nextEvalAt) return this.#setDueToWork();
    this.evaluate().catch((thrown: unknown) => {
      if (!this.#stop.signal.aborted)
        this.#deps.log.error({ err: thrown }, "the governor could not evaluate its queue");
    });
  }

  async #evaluate(): Promise<void> {
    const { clock, runs } = this.#deps;
    this.#nextEvalAt = clock.now() + this.#settings.evalIntervalMs;
    await this.work.read(this.#settings.repos, this.#stop.signal);
    this.#lastEvalAt = clock.now();
    this.#repositoryLines.look(this.#deps.scanner.repos);
    this.#chooseMode();
    this.queueOverTime.add({
      at: this.#lastEvalAt,
      actionable: this.work.actionable.length,
      heldBack: this.work.heldBack,
    });
    this.#setDueToWork();
    await this.#save();
    if (clock.now() - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = clock.now();
    await runs.prune();
  }

  #chooseMode(): void {
    const before = this.#mode.name;
    this.#mode = modeInForce(this.#settings.modes, this.work.actionable.length);
    if (this.#mode.name !== before) {
      this.#modeSince = this.#deps.clock.now();
      this.#deps.feed.tell({ action: "mode changed", detail: this.#mode.name });
    }
    this.#tell({ kind: "governor" });
  }

  #setDueToWork(): void {
    this.#endBudgetPauses();
    if (this.#stop.signal.aborted || this.#lastEvalAt === undefined || this.#deps.trouble !== undefined) return;
    const now = this.#deps.clock.now();
    for (const agent of this.#agents.values()) {
      if (agent.doing !== "nothing" || !agent.settings.enabled || agent.pause !== undefined) continue;
      if (allowanceAt(this.#settings.acmmLevel, agent.name) === undefined) continue;
      const turn = nextTurn(cadenceIn(this.#mode, agent.name), agent);
      if (turn === null || now < turn) continue;
      const over = this.#overBudget(agent);
      if (over === undefined) this.#beginIfThereIsWork(agent, { trigger: "schedule", by: undefined });
      else agent.setPause({ cause: "budget", by: undefined, reason: over, since: now, until: nextDay(now) });
    }
  }

  #overBudget({ settings }: Agent): string | undefined {
    return overBudget(settings, this.#settings.limits, this.#deps.runs.runs, this.#deps.clock.now());
  }

  /** Lets agents go whose budget has room again, because somebody raised it. */
  #endBudgetPauses(): void {
    for (const agent of this.#agents.values()) {
      if (agent.pause?.cause !== "budget" || this.#overBudget(agent) !== undefined) continue;
      agent.endPause();
      this.#deps.feed.tell({ action: "agent resumed", agent: agent.name, detail: "its budget allows it again" });
      this.#saveSoon();
    }
  }

  #beginIfThereIsWork(agent: Agent, run: Pick<NewRun, "trigger" | "by">): void {
    const issue = agent.settings.focus === "issue" ? this.work.issueFor(agent.settings)?.key : undefined;
    if (issue !== undefined || agent.settings.focus === "overview") this.#begin(agent, { ...run, issue });
  }

  #begin(agent: Agent, { trigger, by, issue: key, message, cap }: NewRun): void {
    const { name, settings } = agent;
    const allowance = allowanceAt(this.#settings.acmmLevel, name, cap ?? settings.autonomy);
    if (allowance === undefined)
      throw new NestError("acmm_level_zero", "at ACMM level 0 no agent works", {
        hint: "raise acmm_level in the settings",
      });
    if (this.#deps.trouble !== undefined) throw new NestError("codehost_not_linked", this.#deps.trouble);
    const found = key === undefined ? undefined : this.work.find(key);
    if (key !== undefined && found === undefined) throw noIssue(key, this.#deps.scanner.repos);
    if (found?.judgement?.reason === "in_progress")
      throw new NestError("agent_busy", `an agent works on ${found.key} already`, { hint: "choose another issue" });
    const overview = this.work.actionable.map(({ key: each, issue: { title } }) => ({ key: each, title }));
    const repo = found?.issue.repo ?? settings.repos[0] ?? this.#settings.primaryRepo ?? this.#settings.repos[0];
    agent.begin({
      agent: settings,
      allowance,
      trigger,
      by,
      assignment: { repo, issue: found?.issue, message, overview },
    });
    if (found === undefined) return;
    this.work.take(name, found);
    this.#tell({ kind: "governor" });
  }

  #agentOf(settings: GovernorSettings["agents"][number], memory: NestState["agents"][string]): Agent {
    const { clock, log, feed, watchTimes } = this.#deps;
    return new Agent(settings, memory, {
      clock,
      log,
      ...(watchTimes === undefined ? {} : { watchTimes }),
      startRun: (request) => this.#startRun(request),
      onChange: (agent) => this.#tell({ kind: "agent", agent: this.#view(agent) }),
      onPaused: (agent, { reason }) => {
        feed.tell({ action: "agent paused", agent: agent.name, detail: reason });
        this.#saveSoon();
      },
      onEnded: (agent, run) => this.#onEnded(agent, run),
    });
  }

  async #startRun(request: RunRequest): ReturnType<StartRun> {
    const { ledger, startRun, feed, log } = this.#deps;
    const { agent, assignment } = request;
    // A ledger that cannot be written must not keep an agent from its work.
    if (assignment.issue !== undefined)
      await ledger
        .begin(agent.name, assignment.issue)
        .catch((thrown: unknown) => log.warn({ err: sentenceOf(thrown) }, "the work ledger cannot be written"));
    const run = await startRun(request);
    const { issue, id } = run.record;
    feed.tell({ action: "run began", agent: agent.name, issue, run_id: id });
    this.#tell({ kind: "run", run: run.record });
    return run;
  }

  #onEnded(agent: Agent, run: nestRuns.Run): void {
    const released = this.work.release(agent.name, run.outcome ?? "finished", run.summary);
    released.catch((thrown: unknown) => this.#deps.log.error({ err: thrown }, "the end of a run could not be kept"));
    this.#deps.feed.tell(lineOfEnd(agent.name, run));
    this.#tell({ kind: "run", run });
    this.#chooseMode();
    this.#saveSoon();
  }

  #view(agent: Agent): nestAgents.NestAgent {
    const now = this.#deps.clock.now();
    const { runs } = this.#deps.runs;
    return agentView(agent, {
      settings: this.#settings,
      mode: this.#mode,
      modeSince: this.#modeSince,
      used: usedToday(runs, now, agent.name),
      lastRun: runs.find((run) => run.agent === agent.name && run.ended_at !== undefined),
      whyIdle: this.#whyIdle(agent),
      now,
    });
  }

  /** What keeps an agent whose turn it is from working; undefined where nothing does. */
  #whyIdle({ name, settings }: Agent): string | undefined {
    if (this.#deps.trouble !== undefined) return this.#deps.trouble;
    if (allowanceAt(this.#settings.acmmLevel, name) === undefined) return "at ACMM level 0 no agent works";
    if (this.#lastEvalAt === undefined) return "the queue is being read for the first time";
    if (settings.focus !== "issue" || this.work.issueFor(settings) !== undefined) return undefined;
    const isRead = this.#deps.scanner.repos.every(({ error }) => error === undefined);
    return isRead
      ? "no issue waits for it"
      : "no issue is known that waits for it, and not every repository can be read";
  }

  #find(name: string): Agent {
    const agent = this.#agents.get(name);
    if (agent === undefined)
      throw new NestError("agent_not_found", `this nest has no agent called ${name.slice(0, 100)}`);
    return agent;
  }

  #tell(change: GovernorChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #saveSoon(): void {
    this.#save().catch((thrown: unknown) =>
      this.#deps.log.error({ err: sentenceOf(thrown) }, "the state of this nest cannot be written"),
    );
  }

  #save(): Promise<void> {
    return this.#deps.state.write({
      mode: this.#mode.name,
      agents: Object.fromEntries([...this.#agents].map(([name, agent]) => [name, agent.memory])),
      issues: this.work.history,
      queue: this.queueOverTime.all,
    });
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
