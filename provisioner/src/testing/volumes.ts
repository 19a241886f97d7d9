import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ExecRequest, KubernetesObject, MemoryCluster } from "@nest/cluster";

const POD = { apiVersion: "v1", kind: "Pod" };

/** Gives the pods that copy a volume: a folder of this machine, in which the programs they are told to run really run. */
export class FakeVolumes implements Disposable {
  /** Called after each program that was given something to write. */
  afterWrite: () => Promise<void> = async () => undefined;
  readonly #folder: string;
  readonly #stop = new AbortController();

  constructor(cluster: MemoryCluster, folder: string) {
    this.#folder = folder;
    const { signal } = this.#stop;
    const onPod = ({ metadata, status }: KubernetesObject) => {
      const { name, namespace = "" } = metadata;
      if (name !== "nest-copy" || status !== undefined) return;
      cluster.addPod(namespace, { name, phase: "Running", containers: ["copy"] }, (request) => this.#run(request));
    };
    void cluster.watch(
      POD,
      {},
      { signal, onEvent: (event) => void (event.type === "added" && setImmediate(() => onPod(event.object))) },
    );
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  /** Where the `/data` of a namespace is. */
  async data(namespace: string): Promise<string> {
    const folder = join(this.#folder, namespace, "data");
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async #run({ namespace, command, stdin, stdout }: ExecRequest) {
    await this.data(namespace);
    const root = join(this.#folder, namespace);
    const [program = "", ...args] = command;
    const here = args.map((arg, at) =>
      arg === "/" && args[at - 1] === "-C" ? root : arg.replace(/^\/data/, `${root}/data`),
    );
    const child = spawn(program, here, { stdio: ["pipe", "pipe", "pipe"] });
    const sent = pipeline(named(program, root, stdin), child.stdin).catch(() => undefined);
    const [output, errors] = await Promise.all([buffer(child.stdout), buffer(child.stderr), sent]);
    const isText = program !== "tar";
    stdout(isText ? Buffer.from(output.toString("latin1").replaceAll(root, ""), "latin1") : output);
    const exitCode =
      child.exitCode ?? (await new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1))));
    if (stdin !== undefined) await this.afterWrite();
    return { exitCode, stderr: errors.toString("utf8") };
  }
}

/** Paths that a program reads from its input begin at the container's root. */
async function* named(program: string, root: string, stdin: AsyncIterable<Uint8Array> | undefined) {
  for await (const piece of stdin ?? [])
    yield program === "xargs"
      ? Buffer.from(
          Buffer.from(piece)
            .toString()
            .replaceAll(/(^|\0)\/data/g, `$1${root}/data`),
        )
      : piece;
}
