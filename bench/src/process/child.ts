import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HubPlace } from "../load/bench-relay.ts";

/** A server under test: a process that this bench started and will end. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly place: HubPlace;
  /** Where its replicas are, if it has any. */
  readonly morePlaces?: readonly HubPlace[];
}

export interface ServerCommand {
  /** The entry file; it must print `… listening on http://HOST:PORT`. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Compiled code is kept between starts, and the young heap is as small, as the commands in `bin/` have it. */
const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), "nest-bench-compiled") };
const START_WITHIN_MS = 120_000;
const collector = new URL("./collect-on-signal.ts", import.meta.url).href;
const running = new Set<ChildProcess>();

/** Starts a server and waits for its line on stdout. */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--expose-gc",
      "--max-semi-space-size=8",
      "--import",
      collector,
      command.file,
      ...(command.args ?? []),
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...compiled, ...command.environment } },
  );
  running.add(child);
  child.once("exit", () => running.delete(child));
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000);
  });
  const place = await new Promise<HubPlace>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${command.file} did not start: ${complaints}`)), START_WITHIN_MS);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const line = /listening on http:\/\/([^:\s]+):(\d+)/.exec(output);
      if (line === null) return;
      clearTimeout(timer);
      resolve({ host: line[1] ?? "", port: Number(line[2]) });
    });
    child.once("exit", (code) => reject(new Error(`${command.file} ended with ${code}: ${complaints}`)));
  });
  return { child, pid: child.pid ?? 0, place };
}

/** Ends a process that this bench started, and waits until it is gone. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  const impatient = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(impatient);
}

/** Nothing outlives the bench, whatever ends it. */
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Puts a child that was started elsewhere under the same care. */
export function keepTrack(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

/** Resident memory in KiB after a collection; undefined where the system does not tell. */
export async function residentKib(server: ServerProcess): Promise<number | undefined> {
  server.child.kill("SIGUSR2");
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return numberIn(`/proc/${server.pid}/status`, /VmRSS:\s+(\d+)/);
}

/** Processor time used so far, in seconds; undefined where the system does not tell. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** Processor time that the host gave to others so far, in seconds, all processors together; undefined where nobody tells. */
export function stolenSeconds(): number | undefined {
  const ticks = numberIn("/proc/stat", /^cpu +(?:\d+ ){7}(\d+)/);
  return ticks === undefined ? undefined : ticks / 100;
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const found = pattern.exec(readFileSync(file, "utf8"));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
