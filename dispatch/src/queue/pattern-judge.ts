import { Worker } from "node:worker_threads";
import { sentenceOf } from "@nest/kit";

/** What the thread is asked: to build an expression, or which of some expressions each text matches first. */
export type Question =
  | { readonly build: string }
  | { readonly sources: readonly string[]; readonly texts: readonly string[] };

/** What building came to: the number of the program's instructions, or why it is no regular expression. */
export type Built = { readonly size: number } | { readonly because: string; readonly place?: never };

/** For each text the place of the first expression that matches; -1 where none does. */
export interface Found {
  readonly hits: readonly number[];
}

/** Shared with the thread: how many steps it has made, and at which expression it is. */
export type Progress = Int32Array<SharedArrayBuffer>;
const [STEPS, PLACE] = [0, 1];

interface Lost {
  /** The expression that the thread was at. */
  readonly place: number;
  readonly because: string;
}

export interface PatternJudgeDeps {
  /** Told once of each expression with which the thread was lost twice. */
  readonly onLost?: (pattern: string, because: string) => void;
  /** How long the thread may be at one step: building one expression, or matching it with one text. */
  readonly deadlineMs?: number;
  /** What the thread runs. */
  readonly program?: URL;
}

const DEADLINE_MS = 2000;
/** A thread has this many times as long for its first step: on a busy machine its code loads slowly. */
const DEADLINES_TO_START = 10;
const resourceLimits = { maxOldGenerationSizeMb: 256 };
/** Expressions whose building is remembered: those of all lists together, twice. */
const MOST_REMEMBERED = 2000;

/**
 * Builds and matches regular expressions in a thread of its own, because neither can be interrupted: here they would hold up every
 * socket. The thread starts with the first question and is asked one at a time. If it makes no step before the deadline, or ends,
 * what was asked is asked once more of a new one.
 */
export class PatternJudge {
  readonly #deps: PatternJudgeDeps;
  readonly #built = new Map<string, Built>();
  readonly #lost = new Set<string>();
  readonly #progress: Progress = new Int32Array(new SharedArrayBuffer(8));
  #thread: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(deps: PatternJudgeDeps = {}) {
    this.#deps = deps;
  }

  /** Builds an expression, written `/…/`, and remembers what that came to. Failing to build it is an answer too. */
  async build(source: string): Promise<Built> {
    const answer = this.#built.get(source) ?? (await this.#ask<Built>({ build: source }, [source]));
    if ("place" in answer) return { because: `cannot be built: ${answer.because}` };
    // The longest unused one goes: those that a save has just built are there when its rules are made.
    this.#built.delete(source);
    this.#built.set(source, answer);
    const [oldest] = this.#built.keys();
    if (this.#built.size > MOST_REMEMBERED && oldest !== undefined) this.#built.delete(oldest);
    return answer;
  }

  /** What building an expression came to; undefined when that is not known yet. */
  built(source: string): Built | undefined {
    return this.#built.get(source);
  }

  /** The place of the first expression that each text matches, or -1; undefined when that could not be found out. */
  async firstHits(sources: readonly string[], texts: readonly string[]): Promise<readonly number[] | undefined> {
    const answer = await this.#ask<Found>({ sources, texts }, sources);
    return "hits" in answer ? answer.hits : undefined;
  }

  /** Ends the thread; what is asked from now on gets no answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ask<Answer extends object>(question: Question, sources: readonly string[]): Promise<Answer | Lost> {
    const asked = this.#last.then(() => this.#askTwice<Answer>(question, sources));
    this.#last = asked;
    return asked;
  }

  async #askTwice<Answer extends object>(question: Question, sources: readonly string[]): Promise<Answer | Lost> {
    const first = await this.#askOnce<Answer>(question);
    if (!("place" in first) || this.#isClosed) return first;
    const second = await this.#askOnce<Answer>(question);
    const pattern = "place" in second ? sources[second.place] : undefined;
    if (!("place" in second) || pattern === undefined || this.#lost.has(pattern)) return second;
    this.#lost.add(pattern);
    this.#deps.onLost?.(pattern, second.because);
    return second;
  }

  /** Asks, and waits for the answer or for the end of the thread, whoever ends it. */
  async #askOnce<Answer>(question: Question): Promise<Answer | Lost> {
    if (this.#isClosed) return { place: -1, because: "the hub is stopping" };
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const { deadlineMs = DEADLINE_MS } = this.#deps;
    const { promise, resolve } = Promise.withResolvers<Answer | Lost>();
    let because = "the thread for patterns ended";
    const onError = (error: unknown) => (because = sentenceOf(error));
    const onExit = () => resolve({ place: Atomics.load(this.#progress, PLACE), because });
    thread.once("message", resolve).once("error", onError).once("exit", onExit);
    let [steps, silent] = [Atomics.load(this.#progress, STEPS), 0];
    // Real time, whatever clock the hub has: the thread works in it.
    const deadline = setInterval(() => {
      const now = Atomics.load(this.#progress, STEPS);
      silent = now === steps ? silent + 1 : 0;
      steps = now;
      if (silent < (now === 0 ? DEADLINES_TO_START : 1)) return;
      because = `it takes longer than ${deadlineMs} ms`;
      void thread.terminate();
    }, deadlineMs);
    // While something is asked the thread keeps the process alive: nothing else may, when a hub starts.
    thread.ref();
    thread.postMessage(question);
    try {
      return await promise;
    } finally {
      clearInterval(deadline);
      thread.off("message", resolve).off("error", onError).off("exit", onExit).unref();
    }
  }

  #start(): Worker {
    this.#progress.fill(0);
    const { program = new URL("./pattern-thread.ts", import.meta.url) } = this.#deps;
    const thread = new Worker(program, { workerData: { progress: this.#progress }, execArgv: [], resourceLimits });
    const forget = () => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    // Without a listener an error of the thread would end the hub; `exit` follows it.
    thread.on("error", forget).on("exit", forget);
    return thread;
  }
}
