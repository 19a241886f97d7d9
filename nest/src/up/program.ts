import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Clock, NestError } from "@nest/kit";

export interface ProgramOptions {
  /** `hub`, `spoke` or `relay`. */
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFolder: string;
  readonly clock: Clock;
}

/** How long a program may take to drain before it is ended for good. */
const DRAIN_MS = 10_000;
const LOG_PATIENCE_MS = 15_000;
const LOG_POLL_MS = 50;
const MAIN = join(import.meta.dirname, "..", "main.ts");

/** One program of ours as a child process: its own process group, its log in a file, and gone when this process is gone. */
export class Program {
  readonly name: string;
  readonly logFile: string;
  /** Resolves with a sentence when the program ended by itself. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  /** Bytes of the log from before this start. */
  readonly #logFrom: number;
  readonly #firstLine: Promise<string>;

  private constructor(options: ProgramOptions, child: ChildProcess, logFile: string, logFrom: number) {
    this.#logFrom = logFrom;
    this.name = options.name;
    this.logFile = logFile;
    this.#child = child;
    this.#clock = options.clock;
    this.ended = new Promise((resolve) => {
      child.once("error", (thrown) => resolve(`could not be started: ${thrown.message}`));
      child.once("exit", (code, signal) => resolve(signal === null ? `exited with ${code}` : `was ended by ${signal}`));
    });
    this.#firstLine = new Promise((resolve) => {
      if (child.stdout !== null) createInterface({ input: child.stdout }).once("line", resolve);
    });
  }

  /** What the first such line of its log has in the pattern's group; undefined where none came within 15 s. */
  async logged(line: RegExp): Promise<string | undefined> {
    const until = this.#clock.now() + LOG_PATIENCE_MS;
    for (;;) {
      // The log begins with what earlier starts left.
      const lines = (await readFile(this.logFile)).subarray(this.#logFrom).toString("utf8").split("\n");
      const found = lines.map((one) => line.exec(one)?.[1]).find((one) => one !== undefined);
      if (found !== undefined || this.#clock.now() > until) return found;
      await this.#clock.sleep(LOG_POLL_MS);
    }
  }

  /** Starts `nest <name>` with this environment and nothing else. */
  static async start(options: ProgramOptions): Promise<Program> {
    const logFile = join(options.logFolder, `${options.name}.log`);
    const log: FileHandle = await open(logFile, "a", 0o600);
    try {
      const { size: logFrom } = await log.stat();
      const child = spawn(process.execPath, [...process.execArgv, MAIN, options.name], {
        env: {
          ...options.environment,
          NEST_ENDS_WITH_STDIN: "1",
          NODE_OPTIONS: "--disable-warning=ExperimentalWarning",
        },
        stdio: ["pipe", "pipe", log.fd],
        detached: true,
      });
      child.stdin?.on("error", () => {});
      return new Program(options, child, logFile, logFrom);
    } finally {
      await log.close();
    }
  }

  /**
   * The address in the program's ready line.
   *
   * @throws NestError `program_failed` with the end of its log when it ended instead.
   */
  async ready(): Promise<string> {
    const line = await Promise.race([this.#firstLine, this.ended.then((how) => this.#fail(how))]);
    return line.replace(/^.* listening on /, "");
  }

  /** Asks the program to drain, and ends it when that takes too long. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGTERM");
    const late = this.#clock.after(DRAIN_MS, () => this.#child.kill("SIGKILL"));
    await this.ended;
    late();
  }

  async #fail(how: string): Promise<never> {
    const log = await readFile(this.logFile, "utf8").catch(() => "");
    const last = log.trimEnd().split("\n").slice(-3).join("\n");
    throw new NestError("program_failed", `the ${this.name} ${how}${last === "" ? "" : `:\n${last}`}`, {
      hint: `its log is ${this.logFile}`,
    });
  }
}
