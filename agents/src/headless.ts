import { type ChildProcess, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type Clock, plainText, sentenceOf } from "@nest/kit";
import { RUN_MARK } from "./agent-environment.ts";
import { type AgentRun, type AgentStart, commandLine, type EndHow } from "./agent-run.ts";
import { type Bystanders, lookAround } from "./bystanders.ts";
import type { Backend } from "./cli/backend.ts";
import type { AgentEnd } from "./outcome.ts";
import { CapturedOutput, lastLines } from "./output.ts";
import type { ProcessTree } from "./process-tree.ts";
import { bubblewrapFailure } from "./sandbox/bubblewrap.ts";
import { terminateTree } from "./terminate.ts";
import { Transcript } from "./transcript.ts";

/** How long after its exit an agent's last output may take to arrive; a child that keeps the pipe open gets no longer. */
const SETTLING_MS = 500;

/** The exit codes of bubblewrap, and of the program that changes the user inside it, when they cannot start the agent. */
const BARRED = new Set([1, 126, 127]);

export interface DriverDeps {
  readonly clock: Clock;
}

/**
 * Starts an agent without a terminal, one run for one prompt: an argument array, no shell, standard input closed, its own
 * process group, the task's folder as its own. Never throws: what cannot start ends as `not_started`.
 */
export async function startHeadless(backend: Backend, start: AgentStart, deps: DriverDeps): Promise<AgentRun> {
  if (backend.oneShot === undefined)
    return neverRan({ kind: "not_started", because: `backend ${backend.name} has no headless mode` });
  try {
    await access(start.folder);
    const since = start.loose === true ? await lookAround() : undefined;
    const [program, ...args] = commandLine(start, backend.oneShot({ ...start, prompt: promptArgument(start.prompt) }));
    const child = spawn(program, args, {
      cwd: start.folder,
      env: { ...start.environment, [RUN_MARK]: start.mark },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    return new HeadlessRun(child, { backend, start, since, clock: deps.clock });
  } catch (thrown) {
    return neverRan({ kind: "not_started", because: `agent could not be started: ${sentenceOf(thrown)}` });
  }
}

/** A prompt as an argument: without control characters, and never taken for a flag or a command of the CLI. */
export function promptArgument(prompt: string): string {
  const text = plainText(prompt).trim();
  return /^[-/!@#]/.test(text) ? `Task: ${text}` : text;
}

function neverRan(end: AgentEnd): AgentRun {
  return {
    ended: Promise.resolve(end),
    tail: () => Promise.resolve(""),
    standstill: () => undefined,
    end: () => Promise.resolve(),
  };
}

interface HeadlessDeps {
  readonly backend: Backend;
  readonly start: AgentStart;
  readonly since: Bystanders | undefined;
  readonly clock: Clock;
}

class HeadlessRun implements AgentRun {
  readonly ended: Promise<AgentEnd>;
  readonly #deps: HeadlessDeps;
  readonly #output = new CapturedOutput();
  readonly #transcript: Transcript | undefined;
  readonly #tree: ProcessTree | undefined;
  readonly #lastWords: (() => void)[] = [];
  #why: AgentEnd | undefined;

  constructor(child: ChildProcess, deps: HeadlessDeps) {
    this.#deps = deps;
    const { start, since } = deps;
    if (child.pid !== undefined) this.#tree = { root: child.pid, mark: start.mark, seen: new Map(), since };
    if (deps.start.transcript !== undefined) this.#transcript = new Transcript(deps.start.transcript);
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#read(stream);
    this.ended = this.#follow(child);
  }

  /** Each stream has its own mask: what the other stream prints in between must not split a secret. */
  #read(stream: Readable): void {
    const mask = this.#deps.start.mask?.();
    stream.on("data", (chunk: Buffer) => this.#keep(mask === undefined ? chunk : mask.take(chunk)));
    if (mask !== undefined) this.#lastWords.push(() => this.#keep(mask.end()));
  }

  #keep(printed: Buffer): void {
    this.#output.add(printed);
    this.#transcript?.add(printed);
  }

  async #follow(child: ChildProcess): Promise<AgentEnd> {
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const how = await new Promise<{ error: Error } | { code: number | null; signal: string | null }>((resolve) => {
      child.once("error", (error) => resolve({ error }));
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    if (!("error" in how)) {
      const waiting = new AbortController();
      await Promise.race([closed, this.#deps.clock.sleep(SETTLING_MS, waiting.signal).catch(() => undefined)]);
      waiting.abort();
    }
    // Whatever the agent left running ends with it.
    await this.#terminate();
    child.stdout?.destroy();
    child.stderr?.destroy();
    for (const say of this.#lastWords.splice(0)) say();
    this.#transcript?.close();
    return this.#endedAs(how);
  }

  #endedAs(how: { error: Error } | { code: number | null; signal: string | null }): AgentEnd {
    if ("error" in how) {
      const code = (how.error as NodeJS.ErrnoException).code ?? how.error.message;
      return { kind: "not_started", because: `agent could not be started: ${code}` };
    }
    const output = this.#text();
    if (this.#why?.kind === "overdue") return { ...this.#why, output };
    if (this.#why !== undefined) return this.#why;
    const barred = this.#deps.start.confined === undefined ? undefined : bubblewrapFailure(output);
    if (how.code !== null && BARRED.has(how.code) && barred !== undefined)
      return { kind: "not_started", because: `the sandbox could not start the agent: ${barred}` };
    if (how.code !== null) return { kind: "exited", code: how.code, output };
    return { kind: "killed", signal: how.signal ?? "a signal", output };
  }

  #text(): string {
    const text = this.#output.text();
    return this.#deps.backend.decode?.(text) ?? text;
  }

  tail(): Promise<string> {
    const { decode } = this.#deps.backend;
    return Promise.resolve(decode === undefined ? this.#output.tail() : lastLines(this.#text()));
  }

  standstill(): undefined {
    return undefined;
  }

  async end(how: EndHow = {}): Promise<void> {
    const { overdueAfterMs, graceMs } = how;
    this.#why ??=
      overdueAfterMs === undefined ? { kind: "ended" } : { kind: "overdue", afterMs: overdueAfterMs, output: "" };
    await this.#terminate(graceMs);
    await this.ended;
  }

  async #terminate(graceMs?: number): Promise<void> {
    if (this.#tree !== undefined) await terminateTree(this.#tree, this.#deps.clock, graceMs);
  }
}
