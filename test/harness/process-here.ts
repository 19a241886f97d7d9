import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

const BIN = join(import.meta.dirname, "../../bin");
/** A program that was asked to end and did not, is ended after this. */
const LONGEST_GOODBYE_MS = 15_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface StartAs {
  /** Whom the process belongs to; who runs the test unless said otherwise. */
  readonly user?: number | undefined;
  /** The first words of its command line. */
  readonly within?: readonly string[] | undefined;
}

/** One of our commands as a real process, as a user would start it; gone when the test is over, however that went. */
export class ProcessHere implements AsyncDisposable {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #stdout = "";
  #stderr = "";

  /** Starts `bin/<command> …` with this environment, PATH and nothing else. */
  constructor(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    { user, within = [] }: StartAs = {},
  ) {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const [program = "", ...rest] = [...within, join(BIN, command), ...args];
    this.#child = spawn(program, rest, {
      ...(user === undefined ? {} : { uid: user, gid: user }),
      env: { PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (this.#stdout += chunk));
    this.#child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (this.#stderr += chunk));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Everything it said on standard output so far. */
  get output(): string {
    return this.#stdout;
  }

  /** Everything it said on standard error so far. */
  get said(): string {
    return this.#stderr;
  }

  /** The first match in standard output; fails when the program ends without, or takes longer. */
  async says(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    const look = () => pattern.exec(this.#stdout);
    return new Promise((resolve, reject) => {
      const fail = (what: string) => reject(new Error(`${what} before ${pattern}\n${this.#stdout}\n${this.#stderr}`));
      const late = setTimeout(() => fail("the time was over"), withinMs);
      const check = () => {
        const found = look();
        if (found === null) return;
        clearTimeout(late);
        this.#child.stdout?.off("data", check);
        resolve(found);
      };
      this.#child.stdout?.on("data", check);
      this.ended.then(
        () => {
          clearTimeout(late);
          if (look() === null) fail("the program ended");
        },
        (thrown) => reject(thrown),
      );
      check();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGTERM");
      const late = setTimeout(() => this.#child.kill("SIGKILL"), LONGEST_GOODBYE_MS);
      await this.ended.catch(() => undefined);
      clearTimeout(late);
    }
  }
}

/** Whether a user without any rights could start our commands from this checkout. */
export async function readableByOthers(): Promise<boolean> {
  for (let at = BIN; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o005) !== 0o005) return false;
    if (at === "/") return true;
  }
}

/** Numbers and command lines of the living processes that have to do with a folder: by argument, environment or place. */
export async function processesAbout(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
      const [command, environment, stat] = await Promise.all([read("cmdline"), read("environ"), read("stat")]);
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      if (/\) Z /.test(stat) || ![command, environment, place].some((text) => text.includes(folder))) return [];
      return [`${pid} ${command.replaceAll("\0", " ")}`];
    }),
  );
  return found.flat();
}

/** Kills processes that have nothing to save; resolves when all of them are gone. */
export async function killAll(children: readonly ChildProcess[]): Promise<void> {
  const ends = children.map((child) => {
    if (child.exitCode !== null) return Promise.resolve();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    return ended;
  });
  await Promise.all(ends);
}
