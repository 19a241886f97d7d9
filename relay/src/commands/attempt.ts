import { execFile } from "node:child_process";
import type { Environment } from "@nest/kit";

const MOST_OUTPUT = 1024 * 1024;
/** After the wish to end, before it is made to. */
const GRACE_MS = 2_000;

interface Attempt {
  readonly environment: Environment;
  readonly folder: string;
  readonly timeoutMs: number;
}

/** Runs a program with nothing to read. Its end, or undefined where it came to none in time, whatever it says when it is ended. */
export function attempt(
  file: string,
  args: readonly string[],
  { environment, folder, timeoutMs }: Attempt,
): Promise<{ readonly code: number; readonly output: string } | undefined> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment as NodeJS.ProcessEnv, timeout: timeoutMs, maxBuffer: MOST_OUTPUT };
    const child = execFile(file, [...args], options, (failed, stdout, stderr) => {
      clearTimeout(last);
      const code = failed === null ? 0 : failed.killed === true ? undefined : failed.code;
      resolve(typeof code === "number" ? { code, output: `${stdout}\n${stderr}` } : undefined);
    });
    const last = setTimeout(() => {
      child.kill("SIGKILL");
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, timeoutMs + GRACE_MS);
    child.stdin?.end();
  });
}
