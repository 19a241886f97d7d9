import type { ContainerRun, KubeletCall } from "../api-server/kubelet-wire.ts";
import type { NodePodman } from "./podman.ts";

interface Caller {
  readonly run: ContainerRun;
  /** Ends when the caller has gone. */
  readonly gone: AbortSignal;
}

/** Runs a program in a container, its streams bound to the caller's. */
export function playExec(podman: NodePodman, name: string, { run, gone }: Caller): void {
  const child = podman.spawn(["exec", "-i", name, ...run.command]);
  gone.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
  child.stdin.on("error", () => {});
  void (async () => {
    for await (const piece of run.stdin)
      if (!child.stdin.write(piece)) await new Promise((resolve) => child.stdin.once("drain", resolve));
    child.stdin.end();
  })();
  child.stdout.on("data", (bytes: Buffer) => run.stdout(bytes));
  child.stderr.on("data", (bytes: Buffer) => run.stderr(bytes.toString("utf8")));
  child.once("error", () => run.cut());
  child.once("close", (code) => (code === null ? run.cut() : run.exit(code)));
}

/** Sends a container's log to the caller: both streams, as a node does. */
export function playLog(
  podman: NodePodman,
  name: string,
  how: NonNullable<KubeletCall["logs"]>,
  { run, gone }: Caller,
): void {
  const args = [...(how.follow ? ["--follow"] : []), ...(/^\d+$/.test(how.tail) ? ["--tail", how.tail] : [])];
  const child = podman.spawn(["logs", ...args, name]);
  gone.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
  child.stdout.on("data", (bytes: Buffer) => run.stdout(bytes));
  child.stderr.on("data", (bytes: Buffer) => run.stdout(bytes));
  child.once("error", () => run.cut());
  child.once("close", () => run.exit(0));
}
