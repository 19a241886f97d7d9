import { spawn } from "node:child_process";
import { type Clock, plainLine } from "@nest/kit";
import { cleanDeclared } from "@nest/protocol";
import { RUN_MARK } from "./agent-environment.ts";
import { lookAround } from "./bystanders.ts";
import { terminateTree } from "./terminate.ts";

/** Slow starters need two seconds; a CLI that hangs must not hold up the connection for longer. */
const PROBE_MS = 5000;
const ENOUGH_BYTES = 16 * 1024;
const SETTLING_MS = 50;

export interface ProbeDeps {
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Tells the probe's processes from all others; hexadecimal. */
  readonly mark: string;
  /** Gives the CLI its own process namespace where the machine can; where it cannot, `loose` is as for a run. */
  readonly apart?: ((argv: readonly string[]) => readonly string[]) | undefined;
  readonly loose?: boolean;
}

/**
 * The version a CLI tells of itself: the first meaningful line of `<binary> --version`, at most 64 characters. Best effort:
 * undefined when it says nothing useful within 5 s (spec: DECLARE). Whatever the CLI started is ended with it.
 */
export async function probeVersion(
  binary: string,
  args: readonly string[],
  { environment, clock, mark, apart, loose }: ProbeDeps,
): Promise<string | undefined> {
  const since = loose === true ? await lookAround() : undefined;
  const [program = binary, ...rest] = apart?.([binary, ...args]) ?? [binary, ...args];
  const child = spawn(program, rest, {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
    env: { ...environment, [RUN_MARK]: mark },
  });
  let printed = "";
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
      if (printed.length > ENOUGH_BYTES) resolve();
    });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
    // A child of the CLI may keep the pipe open.
    child.once("exit", () => clock.after(SETTLING_MS, resolve));
    clock.sleep(PROBE_MS, over.signal).then(resolve, () => undefined);
  });
  over.abort();
  child.stdout.destroy();
  if (child.pid !== undefined) await terminateTree({ root: child.pid, mark, seen: new Map(), since }, clock, 0);
  return firstMeaningfulLine(printed);
}

/** The first line that is not empty; a warning is skipped where a later line holds a number. */
export function firstMeaningfulLine(printed: string): string | undefined {
  const lines = printed
    .split(/[\r\n]+/)
    .map((line) => plainLine(line))
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const chosen = lines.find((line) => /\d/.test(line) && !/^\W*(?:warn|note|info|error)/i.test(line)) ?? lines[0];
  return cleanDeclared(chosen);
}
