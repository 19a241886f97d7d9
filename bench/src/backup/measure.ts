import { spawn } from "node:child_process";

/** What one run of a command took. */
export interface Taken {
  readonly seconds: number;
  /** Of all processors together, in user and kernel; what a busy machine changes least. */
  readonly cpuSeconds: number;
  readonly code: number;
  readonly out: string;
}

const LONGEST_MS = 600_000;

interface TimedOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly isQuiet?: boolean;
}

/** Runs a command to its end and takes the time. */
export function timed(file: string, args: readonly string[], options: TimedOptions = {}): Promise<Taken> {
  return timedScript('"$@"', [file, ...args], options);
}

/** As {@link timed} for a shell pipeline; `words` are its positional parameters. */
export function timedPipeline(script: string, ...words: string[]): Promise<Taken> {
  return timedScript(script, words, {});
}

function timedScript(script: string, words: readonly string[], options: TimedOptions): Promise<Taken> {
  // The shell's own clock for processor time goes to descriptor 3, whatever the command complains of stays apart from it.
  const clocked = `TIMEFORMAT="%U %S"; { time { ${script}; } 2>&4; } 4>&2 2>&3`;
  const complaints = options.isQuiet === true ? "ignore" : "inherit";
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-o", "pipefail", "-c", clocked, "bench", ...words], {
      stdio: ["ignore", "pipe", complaints, "pipe"],
      env: { ...process.env, ...options.environment },
    });
    let out = "";
    let clock = "";
    child.stdout?.on("data", (piece: Buffer) => {
      out += piece.toString();
    });
    child.stdio[3]?.on("data", (piece: Buffer) => {
      clock += piece.toString();
    });
    // A command that hangs is named, instead of keeping the bench waiting for ever.
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`${words.join(" ")}: did not end within ten minutes`));
    }, LONGEST_MS);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(late);
      const seconds = (performance.now() - started) / 1000;
      const [user = 0, system = 0] = clock.trim().split(" ").map(Number);
      resolve({ seconds, cpuSeconds: user + system, code: code ?? -1, out });
    });
  });
}

/** Which of these programs are not on this machine. */
export async function missing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(programs.map((name) => timedPipeline('command -v "$1" >/dev/null', name)));
  return programs.filter((_, index) => found[index]?.code !== 0);
}
