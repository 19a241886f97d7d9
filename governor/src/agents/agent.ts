import { type Clock, type Log, NestError, sentenceOf } from "@nest/kit";
import type { nestRuns, RunOutcome } from "@nest/protocol";
import type { AgentSettings } from "../policy/settings.ts";
import { saidLine } from "../runs/said-line.ts";
import { RunWatch, type Trouble, type WatchTimes, watchTimes } from "../runs/watch.ts";
import { isFailure } from "../work/issue-history.ts";
import { isInForce, type Pause } from "./pause.ts";
import type { ActiveRun, EndOfRun, RunRequest, StartRun } from "./run-port.ts";

type Run = nestRuns.Run;

/** How often a running agent is looked at. */
const LOOK_EVERY_MS = 2000;
/** So many failed runs in a row pause an agent. */
const FAILURES_TO_PAUSE = 3;
const FAILURES_PAUSE_MS = 6 * 3_600_000;
const QUOTA_PAUSE_MS = 3_600_000;
/** An agent that could not start is tried again after this time, twice as long after each further time, at most an hour. */
const UNREADY_MS = 60_000;
const LONGEST_UNREADY_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface AgentDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly startRun: StartRun;
  /** Called after each change that people can see. */
  readonly onChange: (agent: Agent) => void;
  /** Called when a run ended; its record is on disk. */
  readonly onEnded: (agent: Agent, run: Run) => void;
  readonly onPaused: (agent: Agent, pause: Pause) => void;
  readonly watchTimes?: WatchTimes;
}

/** What of an agent outlives the program. */
export interface AgentMemory {
  readonly pause?: Pause | undefined;
  readonly lastStartedAt?: number | undefined;
  readonly failures?: number | undefined;
  readonly restarts?: number | undefined;
}

type Doing =
  | { readonly kind: "nothing" }
  | { readonly kind: "starting"; readonly request: RunRequest }
  | { readonly kind: "running"; readonly run: ActiveRun }
  | { readonly kind: "stopping"; readonly run: ActiveRun };

/**
 * One agent of a nest. It does one run at a time: nothing → starting → running → (stopping) → nothing. A run that stands still, goes
 * round in a loop, waits for a person or takes too long is ended with that reason. Failures in a row, a login that is needed and a
 * quota that is used up pause the agent; so do people and budgets.
 */
export class Agent {
  readonly #deps: AgentDeps;
  settings: AgentSettings;
  #doing: Doing = { kind: "nothing" };
  #pause: Pause | undefined;
  #lastStartedAt: number | undefined;
  #freeSince: number;
  #failures: number;
  #restarts: number;
  #unready: { readonly because: string; readonly times: number } | undefined;
  #nowLine: string | undefined;
  #waitsFor: string | undefined;
  #over: Promise<void> = Promise.resolve();
  /** Why a run that is only beginning is to be ended. */
  #toEnd: EndOfRun | undefined;

  constructor(settings: AgentSettings, memory: AgentMemory, deps: AgentDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#pause = memory.pause;
    this.#lastStartedAt = memory.lastStartedAt;
    this.#failures = memory.failures ?? 0;
    this.#restarts = memory.restarts ?? 0;
    this.#freeSince = deps.clock.now();
  }

  get name(): string {
    return this.settings.name;
  }

  get doing(): Doing["kind"] {
    return this.#doing.kind;
  }

  /** Whether its run is only being prepared: the agent itself has done nothing yet. */
  get isPreparing(): boolean {
    const doing = this.#doing;
    return doing.kind === "starting" || (doing.kind === "running" && !doing.run.hasBegun());
  }

  /** The pause in force. */
  get pause(): Pause | undefined {
    return isInForce(this.#pause, this.#deps.clock.now()) ? this.#pause : undefined;
  }

  /** Why it could not be started the last time. */
  get trouble(): string | undefined {
    return this.#unready?.because;
  }

  get run(): Run | undefined {
    return "run" in this.#doing ? this.#doing.run.record : undefined;
  }

  get nowLine(): string | undefined {
    return this.#nowLine;
  }

  get waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get lastStartedAt(): number | undefined {
    return this.#lastStartedAt;
  }

  /** When it was last allowed to work at all. */
  get freeSince(): number {
    return Math.max(this.#freeSince, this.#pause?.until ?? 0);
  }

  get memory(): AgentMemory {
    return {
      pause: this.pause,
      lastStartedAt: this.#lastStartedAt,
      failures: this.#failures,
      restarts: this.#restarts,
    };
  }

  /**
   * Begins a run; returns at once.
   *
   * @throws NestError `agent_busy`, `agent_paused`, `agent_disabled`.
   */
  begin(request: RunRequest): void {
    if (!this.settings.enabled)
      throw new NestError("agent_disabled", `the agent ${this.name} is switched off`, { hint: "switch it on first" });
    if (this.#doing.kind !== "nothing")
      throw new NestError("agent_busy", `the agent ${this.name} works already`, {
        hint: "wait until it is done, or restart it",
      });
    const { pause } = this;
    if (pause !== undefined)
      throw new NestError("agent_paused", `the agent ${this.name} is paused: ${pause.reason}`, {
        hint: "resume it first",
      });
    this.#doing = { kind: "starting", request };
    this.#lastStartedAt = this.#deps.clock.now();
    this.#changed();
    this.#over = this.#live(request).catch((thrown: unknown) => {
      this.#deps.log.error({ agent: this.name, err: thrown }, "a run could not be seen through");
      this.#toEnd = undefined;
      this.#doing = { kind: "nothing" };
      this.#changed();
    });
  }

  /** Pauses it; a run in progress goes on. */
  setPause(pause: Pause): void {
    this.#pause = pause;
    this.#deps.onPaused(this, pause);
    this.#changed();
  }

  /** Ends a pause whose cause is gone. */
  endPause(): void {
    this.#pause = undefined;
    this.#freeSince = this.#deps.clock.now();
    this.#changed();
  }

  /** Ends a pause, and forgets failures and trouble: whoever resumes an agent has looked at them. */
  resume(): void {
    this.#failures = 0;
    this.#unready = undefined;
    this.endPause();
  }

  /** Ends the run in progress, also one that is only beginning; resolves when none of its processes is left. */
  async stop(why: EndOfRun): Promise<void> {
    if (this.#doing.kind === "starting") this.#toEnd ??= why;
    if (this.#doing.kind === "running") this.#doing = { kind: "stopping", run: this.#doing.run };
    if (this.#doing.kind === "stopping") {
      this.#changed();
      await this.#doing.run.end(why);
    }
    await this.#over;
  }

  /** Counts a restart. */
  restarted(): void {
    this.#restarts += 1;
    this.resume();
  }

  /** Ends whatever it does, for good. */
  async close(because: string): Promise<void> {
    await this.stop({ outcome: "stopped", summary: because });
  }

  async #live(request: RunRequest): Promise<void> {
    const run = await this.#deps.startRun(request);
    const toEnd = this.#toEnd;
    this.#toEnd = undefined;
    this.#doing = { kind: toEnd === undefined ? "running" : "stopping", run };
    this.#changed();
    if (toEnd !== undefined) await run.end(toEnd);
    const watching = new AbortController();
    const watched = this.#watch(run, watching.signal);
    const record = await run.ended;
    watching.abort();
    const trouble = await watched;
    this.#doing = { kind: "nothing" };
    this.#nowLine = undefined;
    this.#waitsFor = undefined;
    this.#learn(record, trouble);
    this.#deps.onEnded(this, record);
    this.#changed();
  }

  /** Looks at the run until it ends; returns why it ended the run, where it did. */
  async #watch(run: ActiveRun, signal: AbortSignal): Promise<Trouble | undefined> {
    const { clock } = this.#deps;
    const startedAt = clock.now();
    const watch = new RunWatch(startedAt, this.#deps.watchTimes ?? watchTimes);
    for (;;) {
      try {
        await clock.sleep(LOOK_EVERY_MS, signal);
      } catch {
        return undefined;
      }
      const tail = await run.tail().catch(() => "");
      const standstill = run.standstill();
      this.#show(saidLine(tail, run.prompt()), standstill);
      const now = clock.now();
      if (now - startedAt >= this.settings.maxMinutes * MINUTE_MS) {
        void run.end({ outcome: "overdue", summary: `it took longer than ${this.settings.maxMinutes} minutes` });
        return undefined;
      }
      const trouble = watch.look({ tail, printed: run.printed(), standstill, now });
      if (trouble === undefined) continue;
      void run.end({ outcome: outcomeOf(trouble), summary: trouble.because });
      return trouble;
    }
  }

  #show(line: string | undefined, standstill: ReturnType<ActiveRun["standstill"]>): void {
    if (line === this.#nowLine && standstill === this.#waitsFor) return;
    this.#nowLine = line;
    this.#waitsFor = standstill;
    this.#changed();
  }

  /** What the end of a run means for the next one. */
  #learn(record: Run, trouble: Trouble | undefined): void {
    const now = this.#deps.clock.now();
    if (record.outcome === "not_started") {
      const times = (this.#unready?.times ?? 0) + 1;
      this.#unready = { because: record.summary ?? "it could not be started", times };
      this.#freeSince = now + Math.min(LONGEST_UNREADY_MS, UNREADY_MS * 2 ** (times - 1));
      return;
    }
    this.#unready = undefined;
    if (record.outcome !== undefined && record.outcome !== "stopped")
      this.#failures = isFailure(record.outcome) ? this.#failures + 1 : 0;
    const by = undefined;
    if (trouble?.kind === "login" || trouble?.kind === "answer")
      this.setPause({ cause: "login", by, reason: trouble.because, since: now, until: undefined });
    else if (trouble?.kind === "quota")
      this.setPause({ cause: "quota", by, reason: trouble.because, since: now, until: now + QUOTA_PAUSE_MS });
    else if (this.#failures >= FAILURES_TO_PAUSE) {
      const cause = record.outcome === "looped" ? ("loop" as const) : ("failures" as const);
      const reason = `${this.#failures} runs in a row failed; the last one: ${record.summary ?? record.outcome ?? ""}`;
      this.setPause({ cause, by, reason, since: now, until: now + FAILURES_PAUSE_MS });
      this.#failures = 0;
    }
  }

  #changed(): void {
    try {
      this.#deps.onChange(this);
    } catch (thrown) {
      this.#deps.log.error({ agent: this.name, err: sentenceOf(thrown) }, "a change of an agent could not be told");
    }
  }
}

function outcomeOf(trouble: Trouble): RunOutcome {
  switch (trouble.kind) {
    case "looped":
      return "looped";
    case "stalled":
      return "stalled";
    case "quota":
      // The work was not judged: its quota is nobody's fault.
      return "stopped";
    case "login":
    case "answer":
      return "stalled";
  }
}
