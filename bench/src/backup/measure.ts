import { spawn } from "node:child_process";

/** What one run of a command took. */
export interface Taken {
  readonly seconds: number;
  readonly code: number;
  readonly out: string;
}

/** Runs a command to its end and takes the time. */
export function timed(
  file: string,
  args: readonly string[],
  options: { readonly environment?: Readonly<Record<string, string>>; readonly isQuiet?: boolean } = {},
): Promise<Taken> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ["ignore", "pipe", options.isQuiet === true ? "ignore" : "inherit"],
      env: { ...process.env, ...options.environment },
    });
    let out = "";
    child.stdout.on("data", (piece: Buffer) => {
      out += piece.toString();
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ seconds: (performance.now() - started) / 1000, code: code ?? -1, out }));
  });
}

/** As {@link timed} for a shell pipeline; `words` are its positional parameters. */
export function timedPipeline(script: string, ...words: string[]): Promise<Taken> {
  return timed("/bin/bash", ["-o", "pipefail", "-c", script, "bench", ...words]);
}

/** Which of these programs are not on this machine. */
export async function missing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(programs.map((name) => timedPipeline('command -v "$1" >/dev/null', name)));
  return programs.filter((_, index) => found[index]?.code !== 0);
}
