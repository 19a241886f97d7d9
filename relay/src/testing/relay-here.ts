import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fakes = fileURLToPath(new URL("../../../test/fakes/bin/", import.meta.url));
const program = fileURLToPath(new URL("./relay-process.ts", import.meta.url));

/** The variables that fixture agents read. */
const FAKES = [
  ...["FAKE_PID_FILE", "FAKE_SECONDS", "FAKE_BYTES", "FAKE_ENDS", "FAKE_REPO", "FAKE_ENV_FILE"],
  ...["FAKE_LOGIN_FILE", "FAKE_RUNS_FILE"],
].join(",");

export const TOKEN = "0123456789abcdef".repeat(4);

/** Path of a fixture agent. */
export function fakeAgent(name: string): string {
  return join(fakes, name);
}

/** A relay of its own process, with a home of its own. */
export class RelayHere {
  readonly home: string;
  #stderr = "";
  readonly #children: ChildProcess[] = [];

  private constructor(home: string) {
    this.home = home;
  }

  static async make(): Promise<RelayHere> {
    const home = await mkdtemp(join(tmpdir(), "nest-relay-test-"));
    await chmod(home, 0o700);
    return new RelayHere(home);
  }

  /** Everything the relay said on standard error so far. */
  get said(): string {
    return this.#stderr;
  }

  environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      HOME: this.home,
      TMPDIR: this.home,
      NEST_REGISTRATION_TOKEN: TOKEN,
      CONTRIBUTOR_MODE: "headless",
      NEST_AGENT_COMMAND: fakeAgent("agent-ok"),
      // Without a sandbox, the process number that a fixture prints is the machine's own.
      NEST_SANDBOX: "off",
      NEST_WORKSPACE: join(this.home, "workspaces"),
      NEST_AGENT_ENV: FAKES,
      FAKE_ENV_FILE: join(this.home, "agents-environment"),
      ...more,
    };
  }

  start(more: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, [program], {
      env: this.environment(more),
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString("utf8");
    });
    this.#children.push(child);
    return child;
  }

  /** Resolves with the exit code, or the signal's name. */
  static exit(child: ChildProcess): Promise<number | string> {
    if (child.exitCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal ?? "?")));
  }

  /** The content of the status file; empty before there is one. */
  async status(): Promise<Record<string, unknown>> {
    const text = await readFile(join(this.home, "contributor-headless-status.json"), "utf8").catch(() => "{}");
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** The environment that `agent-tells-environment` had. */
  async agentsEnvironment(): Promise<Record<string, string>> {
    const text = await readFile(join(this.home, "agents-environment"), "utf8");
    return Object.fromEntries(text.split("\n").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
  }

  /** What remains of the last agents' transcripts. */
  async transcripts(): Promise<string> {
    const root = join(this.home, "workspaces");
    const folders = await readdir(root);
    const texts = folders.map((folder) => readFile(join(root, folder, "transcript.log"), "utf8").catch(() => ""));
    return (await Promise.all(texts)).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await RelayHere.exit(child);
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Whether a process with that number is alive (zombies are not). */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}

/** Waits until `holds`, at most 10 s. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const ends = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > ends) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
