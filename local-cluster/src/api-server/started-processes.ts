import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readTextIfPresent, writeFileAtomic } from "@nest/kit";

/** A process by its id and the moment when the system started it: together they are no other process's. */
interface Started {
  readonly pid: number;
  readonly startedAt: string;
}

const GRACE_MS = 10_000;
/** So long a program that ended by itself is left alone before it is started again: twice as long each time in a row. */
const AGAIN = { firstMs: 500, longestMs: 10_000 };
/** One that worked for so long has not ended in a row. */
const WORKED_MS = 60_000;

/**
 * The programs that were started below one folder. The folder remembers them, so that those of a run that was killed are ended by
 * the next one, and nothing else is.
 */
export class StartedProcesses {
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #started: Started[] = [];
  #hasEnded = false;
  #isEnding = false;
  #kept: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts a program, its output in the file `log`; `onEnd` hears when it ended by itself. */
  start(file: string, args: readonly string[], onEnd: (why: string) => void): ChildProcess {
    return this.#start(file, args, (why) => {
      this.#hasEnded = true;
      onEnd(why);
    });
  }

  /** {@link start} for a program that keeps nothing: when it ends by itself it is started again, as a node does with its pods. */
  startAlways(file: string, args: readonly string[], onEnd: (why: string) => void, inARow = 0): void {
    const since = performance.now();
    this.#start(file, args, (why) => {
      onEnd(`${why}; it is started again`);
      const before = performance.now() - since < WORKED_MS ? inARow : 0;
      const pause = setTimeout(
        () => {
          this.#pauses.delete(pause);
          this.startAlways(file, args, onEnd, before + 1);
        },
        Math.min(AGAIN.firstMs * 2 ** before, AGAIN.longestMs),
      );
      this.#pauses.add(pause);
    });
  }

  #start(file: string, args: readonly string[], onEnd: (why: string) => void): ChildProcess {
    // In a group of its own: Ctrl-C on the terminal reaches the one who ends it in order, and not the program.
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    const log = createWriteStream(this.logFile, { flags: "a", mode: 0o600 });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    const over = (why: string) => {
      this.#children.delete(child);
      if (!this.#isEnding) onEnd(`${basename(file)} ${why}`);
    };
    child.once("error", (thrown) => over(`could not be started: ${thrown.message}`));
    child.once("exit", (code, signal) => over(`ended by itself (${signal ?? code})`));
    this.#children.add(child);
    this.#kept = this.#kept.then(() => this.#remember(child.pid));
    return child;
  }

  get logFile(): string {
    return join(this.#folder, "log");
  }

  /** Whether one that is started once has ended by itself. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Ends all of them, the latest first. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const child of [...this.#children].reverse()) await ended(child);
    await this.#kept;
    await writeFileAtomic(fileIn(this.#folder), "[]\n").catch(() => undefined);
  }

  async #remember(pid: number | undefined): Promise<void> {
    const startedAt = pid === undefined ? undefined : await startOf(pid);
    if (pid === undefined || startedAt === undefined) return;
    this.#started.push({ pid, startedAt });
    await writeFileAtomic(fileIn(this.#folder), `${JSON.stringify(this.#started)}\n`);
  }
}

/** Ends what an earlier run that was killed has left running below a folder. */
export async function endLeftProcesses(folder: string): Promise<void> {
  const text = await readTextIfPresent(fileIn(folder));
  if (text === undefined) return;
  const left = JSON.parse(text) as readonly Started[];
  for (const one of left) if (await isStill(one)) process.kill(one.pid, "SIGKILL");
  for (const one of left) while (await isStill(one)) await sleep(20);
  await writeFileAtomic(fileIn(folder), "[]\n");
}

function fileIn(folder: string): string {
  return join(folder, "processes.json");
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
    child.once("exit", () => {
      clearTimeout(late);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

async function isStill({ pid, startedAt }: Started): Promise<boolean> {
  return (await startOf(pid)) === startedAt;
}

/** When the system started a process that still runs, in its own ticks since it was switched on, with that switching on. */
async function startOf(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all(
    [`/proc/${pid}/stat`, "/proc/sys/kernel/random/boot_id"].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  // The name, in parentheses, may hold anything; the state comes first after it, the start twentieth.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return fields.length < 20 || fields[0] === "Z" ? undefined : `${boot?.trim()} ${fields[19]}`;
}
