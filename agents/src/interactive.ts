import { writeFile } from "node:fs/promises";
import { type Clock, sentenceOf } from "@nest/kit";
import { RUN_MARK } from "./agent-environment.ts";
import { type AgentRun, type AgentStart, commandLine, type EndHow } from "./agent-run.ts";
import { lookAround } from "./bystanders.ts";
import type { Backend } from "./cli/backend.ts";
import { bareShellAt } from "./foreground.ts";
import { promptArgument } from "./headless.ts";
import type { AgentEnd } from "./outcome.ts";
import { lastLines } from "./output.ts";
import {
  afterPrompt,
  asksToTrust,
  type Baseline,
  baselineOf,
  hasNewVerdict,
  paneStateOf,
  standstillOf,
} from "./pane.ts";
import type { ProcessTree } from "./process-tree.ts";
import type { Standstill } from "./standstill.ts";
import { terminateTree } from "./terminate.ts";
import type { PaneProcess, TmuxSession } from "./tmux.ts";
import { maskedText } from "./transcript.ts";

/** How often the pane is read. */
const LOOK_EVERY_MS = 1000;
/** When a program has ended, tmux may still be drawing its output: wait for it for at most this long. */
const FINAL_OUTPUT_MS = 3000;
const FINAL_OUTPUT_LOOK_MS = 200;
/**
 * tmux may report that a program has ended before it reports the exit code. No code within this time means that a signal ended
 * it.
 */
const EXIT_CODE_MS = 5000;
const EXIT_CODE_LOOK_MS = 50;
/** A CLI that shows no known sign counts as ready once its screen has not changed for this long. */
const STILL_READY_MS = 5000;
/** The wait between paste and Enter: a CLI takes a key that follows at once for a part of the paste. */
const PASTE_SETTLES_MS = 600;
const ENTER_AGAIN_MS = 1500;
const MOST_ENTERS = 3;
/** The fallback: a pane that shows a prompt and has not changed for this long counts as done. */
const IDLE_MS = 3 * 60_000;
/** How many times in a row the pane must show the verdict before it counts: the CLI may still be drawing. */
const VERDICT_LOOKS = 2;
/** A CLI that is still loading drops its input: a paste that changes nothing within this time is repeated once. */
const PASTE_SHOWS_MS = 3000;

export interface InteractiveDeps {
  readonly clock: Clock;
  readonly tmux: TmuxSession;
  /**
   * Whether the CLI is started for one prompt, as without a terminal, and ends by itself; its output is seen in the pane all the
   * same. Otherwise it is started as a person would, and the prompt is typed.
   */
  readonly oneShot?: boolean;
}

/**
 * Keeps the terminal open for a moment after a program that ends by itself. When the last one that holds it leaves, the system may
 * drop what was printed just before, and that is the verdict.
 */
const LINGERING = ["/bin/sh", "-c", '"$@"; status=$?; sleep 0.2; exit "$status"', "sh"];

/**
 * Starts an agent at a terminal: the CLI is the pane's own command, the prompt is pasted when it is ready, and the run ends
 * with its verdict line, with its exit, or, as a last resort, when the pane has fallen idle. Never throws.
 */
export async function startInteractive(backend: Backend, start: AgentStart, deps: InteractiveDeps): Promise<AgentRun> {
  return new InteractiveRun(backend, start, deps);
}

class InteractiveRun implements AgentRun {
  readonly ended: Promise<AgentEnd>;
  readonly #backend: Backend;
  readonly #start: AgentStart;
  readonly #deps: InteractiveDeps;
  readonly #over = new AbortController();
  #why: AgentEnd | undefined;
  #tree: ProcessTree | undefined;
  #standstill: Standstill | undefined;
  #lastText = "";

  constructor(backend: Backend, start: AgentStart, deps: InteractiveDeps) {
    this.#backend = backend;
    this.#start = start;
    this.#deps = deps;
    this.ended = this.#follow();
  }

  tail(): Promise<string> {
    return Promise.resolve(lastLines(this.#masked(this.#lastText)));
  }

  standstill(): Standstill | undefined {
    return this.#standstill;
  }

  async end(how: EndHow = {}): Promise<void> {
    const { overdueAfterMs, graceMs } = how;
    this.#why ??=
      overdueAfterMs === undefined ? { kind: "ended" } : { kind: "overdue", afterMs: overdueAfterMs, output: "" };
    this.#over.abort(new Error("run ended"));
    await this.#terminate(graceMs);
    await this.ended;
  }

  async #follow(): Promise<AgentEnd> {
    let end: AgentEnd;
    try {
      end = await this.#work();
    } catch (thrown) {
      end = { kind: "not_started", because: `the agent's terminal failed: ${sentenceOf(thrown)}` };
    }
    await this.#terminate();
    await this.#deps.tmux.forgetEnvironment().catch(() => undefined);
    if (this.#start.transcript !== undefined)
      await writeFile(this.#start.transcript, this.#masked(this.#lastText), { mode: 0o600 }).catch(() => undefined);
    if (this.#why?.kind === "overdue") return { ...this.#why, output: this.#masked(this.#lastText) };
    if (this.#why !== undefined) return this.#why;
    return "output" in end ? { ...end, output: this.#masked(end.output) } : end;
  }

  #masked(text: string): string {
    return maskedText(text, this.#start.mask?.());
  }

  async #work(): Promise<AgentEnd> {
    const { tmux } = this.#deps;
    const { folder, environment, mark } = this.#start;
    const prompt = promptArgument(this.#start.prompt);
    const oneShot = this.#deps.oneShot === true ? this.#backend.oneShot?.({ ...this.#start, prompt }) : undefined;
    const argv =
      oneShot === undefined
        ? commandLine(this.#start, this.#backend.interactive(this.#start))
        : [...LINGERING, ...commandLine(this.#start, oneShot)];
    const since = this.#start.loose === true ? await lookAround(await tmux.ready()) : undefined;
    await tmux.start(argv, folder, { ...environment, [RUN_MARK]: mark });
    this.#tree = { root: (await tmux.pane()).pid, mark, seen: new Map(), since };
    if (oneShot !== undefined) return this.#untilDone(undefined);
    const before = await this.#untilReady();
    if (before !== undefined) return before;
    const baseline = baselineOf(await tmux.capture("everything"), prompt);
    await this.#type(prompt);
    return this.#untilDone(baseline);
  }

  /**
   * Waits until the CLI takes a prompt; returns the run's end when the CLI ends first. Where a login is needed it goes on
   * waiting, and {@link AgentRun.standstill} says so.
   */
  async #untilReady(): Promise<AgentEnd | undefined> {
    let [still, seen] = [0, ""];
    for (;;) {
      await this.#deps.clock.sleep(LOOK_EVERY_MS / 2, this.#over.signal);
      const screen = await this.#look();
      const pane = await this.#deps.tmux.pane();
      if (pane.dead) {
        this.#lastText = await this.#finalOutput();
        return { kind: "not_started", because: `agent ended before it was ready${await this.#howItEnded(pane)}` };
      }
      const state = paneStateOf(screen, this.#backend.signs);
      this.#standstill = standstillOf(state);
      still = screen === seen && screen.trim() !== "" ? still + LOOK_EVERY_MS / 2 : 0;
      seen = screen;
      const settled =
        state === "ready" || state === "quota" ? still > 0 : state === "unclear" && still >= STILL_READY_MS;
      if (settled && !(await bareShellAt(pane.tty))) return undefined;
      if (still > 0 && (await this.#trusts(screen))) still = 0;
    }
  }

  /** The output of a program that has ended, once tmux has drawn all of it. */
  async #finalOutput(): Promise<string> {
    let said = "";
    for (let waitedMs = 0; waitedMs < FINAL_OUTPUT_MS; waitedMs += FINAL_OUTPUT_LOOK_MS) {
      await this.#deps.clock.sleep(FINAL_OUTPUT_LOOK_MS, this.#over.signal);
      const before = said;
      said = await this.#deps.tmux.capture("everything");
      if (said === before && said.trim() !== "") break;
    }
    return said;
  }

  /**
   * The program's last line, or its exit code where it printed nothing: the terminal of a program that ends at once may be
   * closed before anybody has read its output.
   */
  async #howItEnded(pane: PaneProcess): Promise<string> {
    const words = lastLine(this.#masked(this.#lastText));
    if (words !== "") return `: ${words}`;
    const code = await this.#exitCodeOf(pane);
    return code === undefined ? ", by a signal, and said nothing" : ` with exit code ${code}, and said nothing`;
  }

  /** Answers yes where the CLI asks whether to trust the task's folder: the relay made it, new and empty. */
  async #trusts(screen: string): Promise<boolean> {
    if (!asksToTrust(screen, this.#start.folder, this.#backend.signs)) return false;
    await this.#deps.tmux.pressEnter();
    return true;
  }

  /** Pastes the prompt and presses Enter; again while nothing happens, because some CLIs swallow the first one. */
  async #type(prompt: string): Promise<void> {
    const { clock, tmux } = this.#deps;
    if (!(await this.#paste(prompt))) await this.#paste(prompt);
    await clock.sleep(PASTE_SETTLES_MS, this.#over.signal);
    for (let enters = 0; enters < MOST_ENTERS; enters += 1) {
      const before = await this.#look();
      if ((await tmux.pane()).dead) return;
      await tmux.pressEnter();
      await clock.sleep(ENTER_AGAIN_MS, this.#over.signal);
      if ((await this.#look()) !== before) return;
    }
  }

  /** Pastes the prompt; false when the screen did not change. */
  async #paste(prompt: string): Promise<boolean> {
    const { clock, tmux } = this.#deps;
    const before = await this.#look();
    await tmux.paste(prompt);
    for (let waitedMs = 0; waitedMs < PASTE_SHOWS_MS; waitedMs += PASTE_SETTLES_MS) {
      await clock.sleep(PASTE_SETTLES_MS, this.#over.signal);
      if ((await this.#look()) !== before) return true;
    }
    return false;
  }

  /** Waits for the run's end. Without a baseline nothing was typed: only the program's own end counts. */
  async #untilDone(baseline: Baseline | undefined): Promise<AgentEnd> {
    const { clock, tmux } = this.#deps;
    let [verdictLooks, stillSince, seen] = [0, clock.now(), ""];
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, this.#over.signal);
      const pane = await tmux.pane();
      if (pane.dead) {
        this.#lastText = await this.#finalOutput();
        const code = await this.#exitCodeOf(pane);
        const output = this.#outputIn(this.#lastText, baseline);
        return code === undefined ? { kind: "killed", signal: "a signal", output } : { kind: "exited", code, output };
      }
      const text = await tmux.capture("everything");
      this.#lastText = text;
      const state = paneStateOf(await tmux.capture("screen"), this.#backend.signs);
      this.#standstill = standstillOf(state);
      if (baseline === undefined) continue;
      const output = this.#outputIn(text, baseline);
      verdictLooks = state !== "busy" && hasNewVerdict(text, baseline) ? verdictLooks + 1 : 0;
      if (verdictLooks >= VERDICT_LOOKS) return { kind: "settled", output };
      if (text !== seen || state !== "ready") stillSince = clock.now();
      seen = text;
      if (clock.now() - stillSince >= IDLE_MS) return { kind: "settled", output };
    }
  }

  #outputIn(text: string, baseline: Baseline | undefined): string {
    return baseline === undefined ? (this.#backend.decode?.(text) ?? text) : afterPrompt(text, baseline.prompt);
  }

  /** The exit code of a pane whose program has ended; undefined when a signal ended it. */
  async #exitCodeOf(pane: PaneProcess): Promise<number | undefined> {
    let { exitCode, signalled } = pane;
    for (
      let waitedMs = 0;
      exitCode === undefined && !signalled && waitedMs < EXIT_CODE_MS;
      waitedMs += EXIT_CODE_LOOK_MS
    ) {
      await this.#deps.clock.sleep(EXIT_CODE_LOOK_MS, this.#over.signal);
      ({ exitCode, signalled } = await this.#deps.tmux.pane());
    }
    return exitCode;
  }

  async #look(): Promise<string> {
    const screen = await this.#deps.tmux.capture("screen");
    this.#lastText = screen;
    return screen;
  }

  async #terminate(graceMs?: number): Promise<void> {
    if (this.#tree !== undefined) await terminateTree(this.#tree, this.#deps.clock, graceMs);
  }
}

function lastLine(screen: string): string {
  return lastLines(screen).split("\n").at(-1)?.slice(0, 200) ?? "";
}
