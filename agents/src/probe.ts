import { spawn } from "node:child_process";
import { plainLine } from "@nest/kit";
import { cleanDeclared } from "@nest/protocol";

/** Slow starters need two seconds; a CLI that hangs must not hold up the connection for longer. */
const PROBE_MS = 5000;
const ENOUGH_BYTES = 16 * 1024;

/**
 * The version a CLI tells of itself: the first meaningful line of `<binary> --version`, at most 64 characters. Best effort:
 * undefined when it says nothing useful within 5 s (spec: DECLARE).
 */
export function probeVersion(
  binary: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let printed = "";
    const child = spawn(binary, args, { stdio: ["ignore", "pipe", "ignore"], detached: true, env: environment });
    const timer = setTimeout(() => finish(), PROBE_MS);
    const finish = () => {
      clearTimeout(timer);
      child.stdout.destroy();
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid);
      resolve(firstMeaningfulLine(printed));
    };
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
      if (printed.length > ENOUGH_BYTES) finish();
    });
    child.on("error", finish);
    child.stdout.on("end", finish);
    child.on("exit", () => setTimeout(finish, 50));
  });
}

/** The first line with something to read in it; a warning is passed over when a line with a number follows. */
export function firstMeaningfulLine(printed: string): string | undefined {
  const lines = printed
    .split(/[\r\n]+/)
    .map((line) => plainLine(line))
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const chosen = lines.find((line) => /\d/.test(line) && !/^\W*(?:warn|note|info|error)/i.test(line)) ?? lines[0];
  return cleanDeclared(chosen);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
