import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const NEST = join(import.meta.dirname, "../../bin/nest");

export interface McpAnswer {
  readonly id?: number | string | null;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** `nest beads mcp` as a real process, and its client. */
export class BeadsMcp implements AsyncDisposable {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number | string, (answer: McpAnswer | undefined) => void>();
  /** Answers to nobody's question. */
  readonly unasked: McpAnswer[] = [];
  #nextId = 1;

  constructor(beads: string, agent: string) {
    const { PATH = "/usr/bin:/bin", HOME = "/tmp" } = process.env;
    const env = { PATH, HOME, NEST_BEADS_DIR: beads, NEST_AGENT_NAME: agent };
    this.#child = spawn(NEST, ["beads", "mcp"], { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdin?.on("error", () => undefined);
    let text = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as McpAnswer);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        for (const answer of this.#waiting.values()) answer(undefined);
        resolve(code);
      });
    });
  }

  /** The answer to a request; undefined when the process ended before it came. */
  ask(method: string, params: object = {}): Promise<McpAnswer | undefined> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  }

  /** What a tool answers, as data; undefined when the process ended before, or the tool refused. */
  async call(name: string, given: object = {}): Promise<{ readonly [key: string]: unknown } | undefined> {
    const answer = await this.ask("tools/call", { name, arguments: given });
    const [content] = answer?.result?.content ?? [];
    if (content === undefined || answer?.result?.isError === true) return undefined;
    return JSON.parse(content.text) as { readonly [key: string]: unknown };
  }

  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.ended;
  }

  #take(answer: McpAnswer): void {
    const waiting = this.#waiting.get(answer.id ?? "");
    if (waiting === undefined) this.unasked.push(answer);
    else this.#waiting.delete(answer.id ?? "");
    waiting?.(answer);
  }
}
