import { join } from "node:path";
import {
  type AgentEnd,
  type AgentRun,
  type AgentStart,
  type KnownSecrets,
  outcomeOf,
  type PaneWatch,
  type RunJournal,
  type Standstill,
  startInteractive,
  usageIn,
} from "@nest/agents";
import { type Clock, type Log, sentenceOf } from "@nest/kit";
import type { nestRuns, RunOutcome } from "@nest/protocol";
import type { ActiveRun, EndOfRun, RunRequest } from "../agents/run-port.ts";
import { promptFor } from "../runs/prompt.ts";
import { Recording } from "../runs/recording.ts";
import type { RunStore, StoredRun } from "../runs/run-store.ts";
import { diffOf } from "./checkout.ts";
import { linksIn } from "./links.ts";
import { type LoginDeps, RunLogin } from "./login.ts";
import { openPullRequests, withoutFound } from "./own-pull-request.ts";
import { makePlaces, type PlacesDeps, type RunPlaces, type RunPlan } from "./run-places.ts";
import type { Terminals } from "./terminals.ts";
import type { Workspaces } from "./workspaces.ts";

const LAST_LINES = 40;

export interface GovernedRunDeps extends Omit<PlacesDeps, "git">, Omit<LoginDeps, "learn"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly git: PlacesDeps["git"];
  readonly terminals: Terminals;
  readonly runs: RunStore;
  readonly workspaces: Workspaces;
  readonly secrets: KnownSecrets;
  readonly journal: RunJournal;
  readonly newMark: () => string;
  /** Monitored repositories: links to others are not kept. */
  readonly repos: () => readonly string[];
  /** Called when a pull request that waits for a person was opened. */
  readonly onHeldPullRequest: (url: string) => Promise<void>;
}

/** What is known of a run before it begins. */
export interface Prepared extends Pick<RunPlan, "backend" | "binary" | "ledgerFolder"> {
  readonly record: nestRuns.Run;
}

/**
 * One run of an agent: login, checkout and sandbox are made, the terminal is recorded, the agent is started in it; when it ends, what
 * became of it is read and kept, and everything it was given is taken back. Whatever goes wrong on the way ends the run with that
 * reason.
 */
export class GovernedRun implements ActiveRun {
  readonly record: nestRuns.Run;
  readonly ended: Promise<nestRuns.Run>;
  readonly #request: RunRequest;
  readonly #prepared: Prepared;
  readonly #deps: GovernedRunDeps;
  #agent: AgentRun | undefined;
  #why: EndOfRun | undefined;
  /** Ends what is done before the agent itself is started. */
  readonly #stop = new AbortController();
  #printed = 0;
  #prompt = "";
  /** Pull requests that were open before it began. */
  #openBefore: ReadonlySet<string> = new Set();
  #names: readonly string[] = [];

  constructor(request: RunRequest, prepared: Prepared, deps: GovernedRunDeps) {
    this.#request = request;
    this.#prepared = prepared;
    this.#deps = deps;
    this.record = prepared.record;
    this.ended = this.#live();
  }

  async tail(): Promise<string> {
    return (await this.#agent?.tail()) ?? "";
  }

  prompt(): string {
    return this.#prompt;
  }

  printed(): number {
    return this.#printed;
  }

  standstill(): Standstill | undefined {
    return this.#agent?.standstill();
  }

  hasBegun(): boolean {
    return this.#agent !== undefined;
  }

  async end(why: EndOfRun): Promise<void> {
    this.#why ??= why;
    this.#stop.abort(new Error(why.summary));
    await this.#agent?.end();
    await this.ended;
  }

  async #live(): Promise<nestRuns.Run> {
    const { runs, secrets, clock, log } = this.#deps;
    let result: Partial<nestRuns.Run> & { readonly lines?: readonly string[] };
    try {
      await runs.begin(this.#stored());
      result = await this.#work();
    } catch (thrown) {
      result = { outcome: "not_started", summary: secrets.redact(sentenceOf(thrown)) };
    }
    const { lines = [], ...facts } = result;
    const ended: StoredRun = {
      ...this.#stored(),
      ...facts,
      ...(this.#why === undefined ? {} : { outcome: this.#why.outcome, summary: this.#why.summary }),
      ended_at: new Date(clock.now()).toISOString(),
      last_lines: [...lines],
    };
    secrets.taskEnded(this);
    try {
      return await runs.end(ended);
    } catch (thrown) {
      log.error({ run: this.record.id, err: sentenceOf(thrown) }, "a run cannot be kept");
      return ended;
    }
  }

  async #work(): Promise<Partial<nestRuns.Run> & { readonly lines: readonly string[] }> {
    const { deps, request } = { deps: this.#deps, request: this.#request };
    const { repo } = request.assignment;
    const learn = (token: string) => deps.secrets.learn(this, token);
    const login = await RunLogin.create({ ...deps, learn }, repo, request.allowance.autonomy);
    const { id } = this.record;
    this.#openBefore = await openPullRequests(deps.codeHost, repo, this.#stop.signal);
    const workspace = await deps.workspaces.make(id, deps.clock.now());
    let places: RunPlaces | undefined;
    try {
      const variables = {
        NEST_AGENT_NAME: request.agent.name,
        NEST_RUN_ID: id,
        ...(request.assignment.issue === undefined ? {} : { NEST_ISSUE: this.record.issue ?? "" }),
      };
      const { signal } = this.#stop;
      signal.throwIfAborted();
      places = await makePlaces(deps, {
        ...this.#prepared,
        model: request.agent.model,
        repo,
        login,
        variables,
        workspace,
        signal,
      });
      this.#prompt = promptFor(request.agent, request.allowance, request.assignment, places.checkout);
      this.#names = Object.keys(places.environment).sort();
      await deps.runs.update(this.#stored());
      signal.throwIfAborted();
      const end = await this.#runAgent(workspace, places);
      return await this.#resultOf(end, workspace, places);
    } finally {
      await places?.sandbox
        ?.takeDown()
        .catch((thrown: unknown) => this.#warn(thrown, "a sandbox cannot be taken down"));
      await login.end();
      for (const left of await deps.workspaces.end(workspace))
        deps.log.warn({ run: id }, `something of a run stays: ${left}`);
    }
  }

  async #runAgent(workspace: string, places: RunPlaces): Promise<AgentEnd> {
    const { terminals, journal, newMark, clock, secrets, confinement, inContainer } = this.#deps;
    const { agent } = this.#request;
    const tmux = await terminals.of(agent.name);
    const recording = await this.#record(tmux);
    const mark = newMark();
    const start: AgentStart = {
      binary: this.#prepared.binary,
      prompt: this.#prompt,
      model: agent.model,
      effort: agent.effort,
      container: inContainer,
      sandboxed: confinement.runs === "sandboxed",
      folder: workspace,
      environment: places.environment,
      confined: places.confined,
      loose: confinement.runs === "loose",
      mask: () => secrets.maskFor(this),
      mark,
    };
    try {
      await journal.begin(mark);
      const oneShot = agent.style === "headless";
      this.#agent = await startInteractive(this.#prepared.backend, start, { clock, tmux, oneShot });
      if (this.#why !== undefined) await this.#agent.end();
      return await this.#agent.ended;
    } finally {
      await recording.close();
      await journal.end(mark).catch(() => undefined);
    }
  }

  async #record(tmux: Awaited<ReturnType<Terminals["of"]>>): Promise<{ close: () => Promise<void> }> {
    const { runs, clock, secrets } = this.#deps;
    let recording: Recording | undefined;
    const watch: PaneWatch = await tmux.watch((event) => {
      if (event.kind === "output") this.#printed += event.bytes.length;
      recording?.add(event);
    });
    recording = new Recording({
      path: runs.recordingPath(this.record.id),
      clock,
      title: `${this.record.agent}: ${this.record.issue ?? "the whole"}`,
      ...(await tmux.size()),
      mask: secrets.maskFor(this),
    });
    const open = recording;
    return {
      close: async () => {
        await watch.close();
        open.close();
      },
    };
  }

  async #resultOf(
    end: AgentEnd,
    workspace: string,
    places: RunPlaces,
  ): Promise<Partial<nestRuns.Run> & { lines: readonly string[] }> {
    const { webBase, repos, git, onHeldPullRequest } = this.#deps;
    const output = "output" in end ? end.output : "";
    const lines = output.trimEnd().split("\n").slice(-LAST_LINES);
    const { issue } = this.#request.assignment;
    // Its own issue is in the prompt, which a terminal shows again.
    const links = linksIn(output, repos(), webBase).filter((link) => link !== issue?.url);
    const usage = usageIn(output);
    const checkout = places.checkout === undefined ? undefined : join(workspace, places.checkout);
    const diff = checkout === undefined ? undefined : await diffOf(git, checkout, places.confined);
    const facts = {
      lines,
      links,
      ...(diff === undefined ? {} : { diff }),
      ...(usage.tokens === undefined && usage.costUsd === undefined
        ? {}
        : {
            usage: {
              ...(usage.tokens === undefined ? {} : { tokens: usage.tokens }),
              ...(usage.costUsd === undefined ? {} : { cost_usd: usage.costUsd }),
            },
          }),
    };
    if (end.kind === "ended") return { ...facts, outcome: "stopped" };
    if (end.kind === "not_started") return { ...facts, outcome: "not_started", summary: end.because };
    const work = { repo: this.#request.assignment.repo ?? "", webBase, prompt: this.#prompt };
    const judged = withoutFound(outcomeOf(end, work), this.#openBefore);
    if (judged.kind === "failed") return { ...facts, outcome: "failed", summary: judged.reason };
    const summary = judged.verdictReason === undefined ? {} : { summary: judged.verdictReason };
    if (judged.pullRequest !== undefined && this.#request.allowance.held)
      await onHeldPullRequest(judged.pullRequest).catch((thrown: unknown) =>
        this.#warn(thrown, "a pull request did not get its hold label"),
      );
    return { ...facts, outcome: outcomeWords[judged.verdict], ...summary };
  }

  #stored(): StoredRun {
    return {
      ...this.record,
      prompt: this.#deps.secrets.redact(this.#prompt),
      environment: [...this.#names],
      last_lines: [],
    };
  }

  #warn(thrown: unknown, what: string): void {
    this.#deps.log.warn({ run: this.record.id, err: sentenceOf(thrown) }, what);
  }
}

const outcomeWords = {
  shipped: "shipped",
  idle: "finished",
  no_work_needed: "no_work_needed",
  blocked: "blocked",
} as const satisfies Record<string, RunOutcome>;
