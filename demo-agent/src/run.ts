import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment of the program. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  /** It is killed after this long; 60 s. */
  readonly timeoutMs?: number;
}

export interface RunOutcome {
  /** 127 when it could not be started, 124 when it was killed for taking too long. */
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program with an argument array, never through a shell. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<RunOutcome> {
  return new Promise((resolve) => {
    const { cwd, env, timeoutMs = 60_000 } = options;
    const child = spawn(program, args, { env, ...(cwd === undefined ? {} : { cwd }) });
    let out = "";
    let err = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    child.on("error", (thrown) => {
      clearTimeout(timer);
      resolve({ code: 127, out, err: thrown.message });
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: late ? 124 : (code ?? 1), out, err });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}

/** The environment for what a repository brings along: nothing of ours that opens anything. */
export function harmlessEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { PATH, HOME, LANG, TMPDIR };
}
