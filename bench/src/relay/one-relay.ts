import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const AGENT = join(import.meta.dirname, "../../../test/fakes/bin/agent-ok");
/** Clock ticks a second, in which the kernel counts processor time. */
const TICKS = 100;

export interface RelayPlace {
  readonly program: string;
  readonly home: string;
  readonly hub: string;
  readonly token: string;
}

/** One relay of the bundle as a process of its own, started as `nest-relay` starts it. */
export class OneRelay {
  readonly startedAt = performance.now();
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({ program, home, hub, token }: RelayPlace): Promise<OneRelay> {
    await mkdir(home, { recursive: true });
    return new OneRelay(
      spawn(process.execPath, ["--max-semi-space-size=1", program], {
        env: {
          PATH: process.env.PATH,
          HOME: home,
          TMPDIR: home,
          NEST_HUB: hub,
          NEST_REGISTRATION_TOKEN: token,
          NEST_AGENT_COMMAND: AGENT,
          NEST_AGENT_ENV: "FAKE_REPO",
          FAKE_REPO: "acme/one",
          CONTRIBUTOR_MODE: "headless",
        },
        stdio: "ignore",
      }),
    );
  }

  /** Resident and proportional memory in MiB; the second counts pages that relays share once among them. */
  async memory(): Promise<{ resident: number; proportional: number }> {
    const text = await readFile(`/proc/${this.#child.pid}/smaps_rollup`, "utf8");
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? Number.NaN) / 1024;
    return { resident: of("Rss"), proportional: of("Pss") };
  }

  /** Processor time so far, in seconds. */
  async processorSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, "utf8");
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return (user + system) / TICKS;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode !== null || !this.#child.kill("SIGTERM")) return;
    await ended;
  }
}
