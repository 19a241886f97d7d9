import { homedir } from "node:os";
import {
  type AgentEnd,
  type AgentRun,
  type AgentStart,
  agentEnvironment,
  apartFrom,
  type Confinement,
  clearWorkspaces,
  confine,
  type EndHow,
  type KnownSecrets,
  makeWorkspace,
  type Outcome,
  outcomeOf,
  type RunJournal,
  type Sandbox,
  type Standstill,
  startWatchdog,
  TaskCredential,
  transcriptBeside,
} from "@nest/agents";
import { type CancelTimer, type Clock, type Environment, sentenceOf } from "@nest/kit";
import type { Durations, HubMessage } from "@nest/protocol";
import type { RelayConfig } from "../settings/config.ts";
import { removeContext, writeContext } from "./context-file.ts";
import { mayPush } from "./permissions.ts";
import { promptFor } from "./prompt.ts";
import { named } from "./report.ts";

export type Assignment = Extract<HubMessage, { type: "task_assign" }>;

export interface TaskDeps {
  readonly config: RelayConfig;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly numbers: Durations;
  readonly journal: RunJournal;
  readonly newMark: () => string;
  /** Absolute path of the agent's program; undefined when there is none. */
  readonly binary: string | undefined;
  readonly confinement: Confinement;
  readonly startAgent: (start: AgentStart) => Promise<AgentRun>;
  /** Whether the hub hands out a credential after acceptance. */
  readonly awaitsCredential: boolean;
  /**
   * What that credential may do. Where it may push and open pull requests it replaces the contributor's own login; else the
   * agent has both.
   */
  readonly permissions: () => readonly string[] | undefined;
  /** Whether the contributor has a login of their own here. */
  readonly isSignedIn: boolean;
  readonly secrets: KnownSecrets;
  readonly hubHost: string;
  readonly onProgress: () => void;
  readonly onWarning: (sentence: string) => void;
}

export interface TaskResult {
  readonly outcome: Outcome;
  readonly tail: string;
}

/** How long a promised credential is waited for after acceptance; then the agent works with the contributor's own login. */
const CREDENTIAL_WAIT_MS = 60_000;
const SHORTEST_CREDENTIAL_WAIT_MS = 500;

/** A credential is one line of printable text: git would read what follows a line break as further answers. */
const CREDENTIAL = /^[\x21-\x7e]{1,4096}$/;

/**
 * One task in hand. It owns everything that lives as long as the task does: its timers, the agent and its processes, the
 * workspace, the credential, the context file; all of it ends together.
 *
 * States: accepted → (waiting for the credential, at most 60 s, when the hub hands one out) → running → over. Over comes by
 * the agent's own end, by the watchdog 30 minutes after acceptance, or from outside ({@link Task.end}): revoked, or the
 * relay stops. Only an end from outside has no result.
 */
export class Task {
  readonly assignment: Assignment;
  readonly acceptedAt: number;
  readonly #deps: TaskDeps;
  readonly #ended = new AbortController();
  readonly #timers: CancelTimer[] = [];
  #credential: TaskCredential | undefined;
  #token: string | undefined;
  #noCredential: string | undefined;
  #prompt: string | undefined;
  #tokenCame: () => void = () => undefined;
  #renewing: Promise<void> | undefined;
  #agent: AgentRun | undefined;
  #sandbox: Sandbox | undefined;
  #contextFile: string | undefined;
  #overdue = false;
  #endHow: EndHow = {};
  #over: Promise<TaskResult | undefined> | undefined;

  constructor(assignment: Assignment, deps: TaskDeps) {
    this.assignment = assignment;
    this.#deps = deps;
    this.acceptedAt = deps.clock.now();
  }

  /**
   * Does the work. Resolves when all of its processes and files are gone: with its result, or undefined when it was ended from
   * outside.
   */
  run(): Promise<TaskResult | undefined> {
    this.#over ??= this.#work().catch(brokenOff);
    return this.#over;
  }

  /** A credential for this task: the first one, or a renewal that the running agent's git reads from now on. */
  async refresh(token: string): Promise<void> {
    if (!CREDENTIAL.test(token)) {
      this.withoutCredential("what it sent is no credential");
      return;
    }
    this.#deps.secrets.learn(this, token);
    this.#token = token;
    this.#tokenCame();
    this.#renewing ??= this.#renewUntilCurrent().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** Writes one credential at a time; when several come, the last one is written last. */
  async #renewUntilCurrent(): Promise<void> {
    for (let written: string | undefined; this.#token !== undefined && written !== this.#token; ) {
      written = this.#token;
      await this.#credential?.renew(written);
    }
  }

  /** The hub has no credential for this task, or could not renew it: the wait for a first one ends. */
  withoutCredential(reason: string): void {
    this.#noCredential = reason;
    this.#tokenCame();
  }

  /** Ends the task from outside; resolves when its whole process tree is gone. */
  async end(how: EndHow = {}): Promise<void> {
    this.#endHow = how;
    this.#ended.abort(new Error("task ended"));
    await this.#agent?.end(how);
    await this.#over;
  }

  /** What the agent waits for; undefined while it works. */
  standstill(): Standstill | undefined {
    return this.#agent?.standstill();
  }

  async tail(): Promise<string> {
    return (await this.#agent?.tail()) ?? "";
  }

  async #work(): Promise<TaskResult | undefined> {
    const { clock, numbers, config } = this.#deps;
    this.#timers.push(
      startWatchdog(clock, numbers.watchdogMs, () => {
        this.#onTimeout().catch((thrown: unknown) =>
          this.#deps.onWarning(`the agent could not be ended: ${sentenceOf(thrown)}`),
        );
      }),
      clock.every(numbers.progressMs, this.#deps.onProgress),
    );
    try {
      const end = await this.#runAgent();
      if (end.kind === "ended") return undefined;
      const prompt = this.#prompt ?? promptFor(this.assignment);
      const { repo } = this.assignment;
      return { outcome: outcomeOf(end, { repo, webBase: config.webBase, prompt }), tail: await this.tail() };
    } finally {
      for (const cancel of this.#timers) cancel();
      // A renewed login is copied back before the folder that holds it is removed.
      await this.#sandbox?.takeDown();
      // A folder that cannot be removed must not cost the contributor the result.
      const cleared = await Promise.allSettled([
        this.#credential?.remove(),
        removeContext(this.#contextFile),
        clearWorkspaces(config.workspaceRoot),
      ]);
      const left = cleared.flatMap((step) =>
        step.status === "rejected" ? [sentenceOf(step.reason)] : (step.value ?? []),
      );
      for (const what of left) this.#deps.onWarning(`something of a task stays: ${what}`);
    }
  }

  async #runAgent(): Promise<AgentEnd> {
    const mark = this.#deps.newMark();
    try {
      await this.#awaitCredential();
      if (this.#isOver()) return this.#endBeforeAgent();
      const start = await this.#prepare(mark);
      if (start === undefined) return { kind: "not_started", because: this.#missing() };
      await this.#deps.journal.begin(mark);
      this.#agent = await this.#deps.startAgent(start);
      if (this.#isOver()) await this.#agent.end(this.#overdue ? { overdueAfterMs: this.#limitMs() } : this.#endHow);
      return await this.#agent.ended;
    } catch (thrown) {
      if (this.#isOver()) return this.#endBeforeAgent();
      return { kind: "not_started", because: `the task could not be prepared: ${sentenceOf(thrown)}` };
    } finally {
      await this.#deps.journal.end(mark).catch(() => undefined);
    }
  }

  #isOver(): boolean {
    return this.#overdue || this.#ended.signal.aborted;
  }

  #endBeforeAgent(): AgentEnd {
    return this.#overdue ? { kind: "overdue", afterMs: this.#limitMs(), output: "" } : { kind: "ended" };
  }

  /** The limit in the spec's own minutes, also under a test clock. */
  #limitMs(): number {
    return this.#deps.numbers.watchdogMs * this.#deps.config.clockScale;
  }

  async #onTimeout(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#overdue = true;
    this.#tokenCame();
    await this.#agent?.end({ overdueAfterMs: this.#limitMs() });
  }

  async #awaitCredential(): Promise<void> {
    if (!this.#deps.awaitsCredential) return;
    if (this.#token === undefined && this.#noCredential === undefined) await this.#credentialOrRefusal();
    if (this.#token !== undefined || this.#isOver()) return;
    const why = this.#noCredential === undefined ? "sent no credential" : "could not make a credential";
    const because = this.#noCredential ? ` (${this.#noCredential})` : "";
    this.#deps.onWarning(`the hub ${why} for this task${because}; the agent works with your own login`);
  }

  /** Resolves with the first credential, when the hub says that there is none, at the task's end, or after 60 s. */
  async #credentialOrRefusal(): Promise<void> {
    const { clock, config } = this.#deps;
    const came = new Promise<void>((resolve) => {
      this.#tokenCame = resolve;
    });
    const waitMs = Math.max(SHORTEST_CREDENTIAL_WAIT_MS, CREDENTIAL_WAIT_MS / config.clockScale);
    const waiting = new AbortController();
    const stop = AbortSignal.any([this.#ended.signal, waiting.signal]);
    await Promise.race([came, clock.sleep(waitMs, stop).catch(() => undefined)]);
    waiting.abort();
  }

  #missing(): string {
    const { agentCommand, backend } = this.#deps.config;
    return agentCommand === undefined
      ? `agent command not found: ${backend.binary} is not on PATH`
      : `agent command not found: ${agentCommand}`;
  }

  /** Makes the task's folder, credential and context file; undefined when there is no agent to start. */
  async #prepare(mark: string): Promise<AgentStart | undefined> {
    const { config, binary, clock, environment, confinement } = this.#deps;
    const isContained = config.inContainer || confinement.runs === "sandboxed";
    const prompt = promptFor(this.assignment, {
      beside: this.#besidesOwnLogin() ? (this.#deps.permissions() ?? []) : undefined,
      onlyCommands: isContained || config.mode === "interactive" ? undefined : config.backend.unconfinedCommands,
    });
    this.#prompt = prompt;
    this.#contextFile = await writeContext(config, this.#context(prompt), this.#deps.onWarning);
    if (binary === undefined) return undefined;
    const folder = await makeWorkspace(config.workspaceRoot, this.assignment.task_id, clock.now());
    const token = this.#token;
    if (token !== undefined) {
      this.#credential = await TaskCredential.create(token, config.webBase);
      // A renewal may have come while the file was made.
      if (this.#token !== undefined && this.#token !== token) await this.#credential.renew(this.#token);
    }
    const agentsEnvironment = agentEnvironment(environment, {
      backend: config.backend,
      isContained,
      alsoPass: config.passToAgent,
      model: config.model,
      task: {
        ...this.#taskEnvironment(),
        ...(this.#besidesOwnLogin() ? {} : this.#credential?.environment()),
      },
    });
    return {
      binary,
      prompt,
      model: config.model,
      effort: config.effort,
      container: config.inContainer,
      sandboxed: confinement.runs === "sandboxed",
      folder,
      environment: agentsEnvironment,
      confined: await this.#confine(binary, folder, agentsEnvironment),
      loose: confinement.runs === "loose",
      transcript: transcriptBeside(folder),
      mask: () => this.#deps.secrets.maskFor(this),
      mark,
    };
  }

  /** Prepares this run's sandbox, or its own process namespace, as far as the machine can. */
  async #confine(agent: string, workspace: string, environment: Readonly<Record<string, string>>) {
    const { config, confinement } = this.#deps;
    if (confinement.runs !== "sandboxed") return apartFrom(confinement).apart;
    this.#sandbox = await confine(confinement.bubblewrap, {
      backend: config.backend,
      agent,
      workspace,
      taskPlaces: [this.#contextFile, this.#credential?.folder].filter((place) => place !== undefined),
      alsoReadable: config.sandboxRead,
      hidden: [config.workspaceRoot, config.stateFolder],
      inContainer: config.inContainer,
      around: { home: environment.HOME ?? homedir(), environment, hasCredential: this.#replacesOwnLogin() },
    });
    if (this.#sandbox.user !== undefined) await this.#credential?.belongTo(this.#sandbox.user);
    return this.#sandbox.confined;
  }

  /** Whether the task's credential is the agent's only login at the code host. */
  #replacesOwnLogin(): boolean {
    return this.#token !== undefined && !this.#besidesOwnLogin();
  }

  /** Whether the credential comes in addition to the contributor's own login: it cannot fork, push or open the pull request. */
  #besidesOwnLogin(): boolean {
    const { permissions, isSignedIn } = this.#deps;
    return this.#token !== undefined && isSignedIn && !mayPush(permissions());
  }

  #taskEnvironment(): Record<string, string> {
    const { config } = this.#deps;
    const token = this.#token;
    return {
      // A file that is not ours must not be shown to the agent.
      ...(this.#contextFile === undefined ? {} : { NEST_TASK_CONTEXT_FILE: this.#contextFile }),
      NEST_TASK_ID: this.assignment.task_id,
      NEST_GITHUB_URL: config.webBase,
      ...(token === undefined ? {} : { NEST_TASK_TOKEN: token }),
      ...(token !== undefined && this.#replacesOwnLogin() ? { GH_TOKEN: token, GITHUB_TOKEN: token } : {}),
    };
  }

  #context(prompt: string) {
    const { repo, number, title, url, labels } = this.assignment;
    const accepted_at = new Date(this.acceptedAt).toISOString();
    return {
      ...named(this.assignment),
      hub: this.#deps.hubHost,
      repo,
      number,
      title,
      url,
      labels,
      prompt,
      accepted_at,
    };
  }
}

/** The result of a task that failed because of the relay itself. */
function brokenOff(thrown: unknown): TaskResult {
  const reason = `the task could not be seen through: ${sentenceOf(thrown)}`;
  return { outcome: { kind: "failed", failureKind: "environment", reason }, tail: "" };
}
