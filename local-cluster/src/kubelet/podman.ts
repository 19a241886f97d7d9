import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import { NotStarted } from "./pod-shape.ts";

const run = promisify(execFile);
const PROGRAM = "podman";
const SLOW_MS = 60_000;
/** The exit code of `podman image exists` for one that is not there. */
const ABSENT = 1;

/** Podman as a node's container runtime. */
export class NodePodman {
  readonly #environment: Readonly<Record<string, string>>;
  /** Marks the containers of this node. */
  readonly label: string;

  /** `environment` names podman's configuration and storage. */
  constructor(environment: Readonly<Record<string, string>>, label: string) {
    const { PATH = "/usr/bin:/bin" } = process.env;
    this.#environment = { PATH, HOME: homedir(), ...environment };
    this.label = label;
  }

  /** Runs one command to its end. `variables` are for `--env NAME`, so that no value is on the command line. */
  async run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = { ...variables, ...this.#environment };
    const { stdout } = await run(PROGRAM, args, { env, timeout: SLOW_MS, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }

  spawn(args: readonly string[]): ChildProcessWithoutNullStreams {
    // In a group of its own, so that Ctrl-C on the terminal does not reach it.
    return spawn(PROGRAM, args, { env: this.#environment, detached: true });
  }

  /** Whether an image is on this machine. Podman's own trouble is told as a kubelet would. */
  async hasImage(image: string): Promise<boolean> {
    try {
      await this.run(["image", "exists", image]);
      return true;
    } catch (thrown) {
      const { code, stderr = String(thrown) } = thrown as { code?: unknown; stderr?: string };
      if (code === ABSENT) return false;
      throw new NotStarted("ImageInspectError", stderr.trim().slice(-500));
    }
  }

  /** The user that an image runs as when nobody says otherwise; empty for root. */
  imageUser(image: string): Promise<string> {
    return this.run(["image", "inspect", "--format", "{{.User}}", image]);
  }

  /** Resolves with the exit code of a container when it has ended. */
  async ended(name: string): Promise<{ readonly exitCode: number; readonly isOutOfMemory: boolean }> {
    const child = this.spawn(["wait", "--interval", "100ms", name]);
    child.stdout.resume();
    child.stderr.resume();
    await new Promise((resolve) => child.once("close", resolve));
    const said = await this.run(["inspect", "--format", "{{.State.ExitCode}} {{.State.OOMKilled}}", name]);
    const [code, isOutOfMemory] = said.split(" ");
    return { exitCode: Number(code), isOutOfMemory: isOutOfMemory === "true" };
  }

  async stop(name: string, graceSeconds: number): Promise<void> {
    await this.run(["stop", "--ignore", "-t", String(graceSeconds), name]).catch(() => undefined);
  }

  /** The labels of the nodes whose containers are still there. */
  async nodes(): Promise<readonly string[]> {
    const said = await this.run([
      "ps",
      "-a",
      "--filter",
      "label=nest.node",
      "--format",
      '{{index .Labels "nest.node"}}',
    ]);
    return [...new Set(said.split("\n").filter(Boolean))];
  }

  async remove(filter: string): Promise<void> {
    const found = (await this.run(["ps", "-aq", "--no-trunc", "--filter", filter])).split("\n").filter(Boolean);
    if (found.length > 0) await this.run(["rm", "-f", "-t", "0", ...found]).catch(() => undefined);
  }
}
