import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Container, type PodAround } from "./container.ts";
import type { NodeApi } from "./node-api.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { PodObject } from "./pod-shape.ts";
import type { NodePodman } from "./podman.ts";
import { mountVolumes, NotMounted, type Volumes } from "./volumes.ts";

/** What a node gives each of its pods. */
export interface NodeAround {
  readonly api: NodeApi;
  readonly podman: NodePodman;
  readonly network: PodNetwork;
  /** Variables that each container has: where the API server is. */
  readonly extra: Readonly<Record<string, string>>;
  readonly restart: { readonly firstMs: number; readonly longestMs: number };
  folderOf(pod: PodObject): string;
  /** Hears of faults that no caller waits for. */
  onFault(fault: unknown): void;
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime: string;
}

/** One pod on the node, from its binding to the moment when nothing of it is left. */
export class PodLife {
  readonly pod: PodObject;
  readonly #node: NodeAround;
  readonly #stop = new AbortController();
  readonly #startTime = instant();
  readonly #lived: Promise<void>;
  #inits: readonly Container[] = [];
  #containers: readonly Container[] = [];
  #phase: "Pending" | "Running" | "Succeeded" | "Failed" = "Pending";
  #conditions: readonly Condition[] = [];
  #isInitialized = false;
  #ip: string | undefined;
  #networkName: string | undefined;
  #told = "";
  #telling: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;

  constructor(pod: PodObject, node: NodeAround) {
    this.pod = pod;
    this.#node = node;
    this.#lived = this.#live().catch((thrown: unknown) => {
      if (!this.#stop.signal.aborted) node.onFault(thrown);
    });
  }

  /** Its address in the pods' network, once it has one. */
  get address(): string | undefined {
    return this.#ip;
  }

  /** Whether all of its containers serve. */
  get isReady(): boolean {
    return this.#goesOn() && this.#containers.length > 0 && this.#containers.every((container) => container.isReady);
  }

  /** The podman name of one of its containers, running or not. */
  containerName(name: string, previous = false): string | undefined {
    return [...this.#containers, ...this.#inits].find(({ spec }) => spec.name === name)?.nameOf(previous);
  }

  /** Stops what runs, gives it time to end, and takes everything away. */
  end(graceSeconds: number): Promise<void> {
    this.#ending ??= this.#end(graceSeconds);
    return this.#ending;
  }

  async #end(graceSeconds: number): Promise<void> {
    const { podman, network } = this.#node;
    const running = [...this.#containers, ...this.#inits].filter(({ isRunning }) => isRunning);
    this.#stop.abort();
    await Promise.all(running.map((container) => podman.stop(container.nameOf(), graceSeconds)));
    await this.#lived;
    await this.#telling;
    await podman.remove(`label=nest.pod=${this.pod.metadata.uid}`);
    if (this.#networkName !== undefined) await network.leave(this.#networkName);
    await rm(this.#node.folderOf(this.pod), { recursive: true, force: true });
  }

  async #live(): Promise<void> {
    const { name, path, ip } = await this.#node.network.join();
    this.#networkName = name;
    this.#ip = ip;
    this.#changed();
    const volumes = await this.#mounted();
    const around = this.#around(volumes, path);
    this.#inits = (this.pod.spec.initContainers ?? []).map((spec) => new Container(spec, around));
    this.#containers = this.pod.spec.containers.map((spec) => new Container(spec, around));
    this.#changed();
    const { restartPolicy = "Always" } = this.pod.spec;
    for (const container of this.#inits) {
      const exitCode = await container.live((code) => code !== 0 && restartPolicy !== "Never" && this.#goesOn());
      if (!this.#goesOn()) return;
      if (exitCode !== 0) return this.#enter("Failed");
    }
    this.#isInitialized = true;
    this.#enter("Running");
    const isAgain = (code: number) =>
      this.#goesOn() && (restartPolicy === "Always" || (restartPolicy === "OnFailure" && code !== 0));
    const codes = await Promise.all(this.#containers.map((container) => container.live(isAgain)));
    if (this.#goesOn()) this.#enter(codes.every((code) => code === 0) ? "Succeeded" : "Failed");
  }

  #goesOn(): boolean {
    return !this.#stop.signal.aborted;
  }

  #around(volumes: Volumes, network: string): PodAround {
    const { api, podman, extra, restart, network: net } = this.#node;
    const place = { ip: this.#ip ?? "", gateway: net.gateway, network: `ns:${network}` };
    const { pod } = this;
    const { signal } = this.#stop;
    return { api, podman, pod, place, extra, volumes, restart, signal, changed: () => this.#changed() };
  }

  async #mounted(): Promise<Volumes> {
    const { api, restart } = this.#node;
    for (let tries = 0; ; tries++) {
      try {
        return await mountVolumes(api, this.pod, this.#node.folderOf(this.pod));
      } catch (thrown) {
        if (!(thrown instanceof NotMounted)) throw thrown;
        const message = `MountVolume.SetUp failed: ${thrown.message}`;
        await api.event(this.pod, { type: "Warning", reason: "FailedMount", message }).catch(() => undefined);
        const pauseMs = Math.min(restart.longestMs, restart.firstMs * 2 ** tries);
        await sleep(pauseMs, undefined, { signal: this.#stop.signal });
      }
    }
  }

  #enter(phase: "Running" | "Succeeded" | "Failed"): void {
    this.#phase = phase;
    this.#changed();
  }

  /** Tells the pod's status as it is once those before it were told; what did not change is not told. */
  #changed(): void {
    this.#telling = this.#telling.then(async () => {
      const status = this.#status();
      const text = JSON.stringify(status);
      if (text === this.#told) return;
      this.#told = text;
      await this.#node.api.report(this.pod, status).catch((thrown: unknown) => this.#node.onFault(thrown));
    });
  }

  #status(): object {
    const { gateway } = this.#node.network;
    const { isReady } = this;
    const notReady = this.#containers.filter((container) => !container.isReady).map(({ spec }) => spec.name);
    const because = {
      reason: "ContainersNotReady",
      message: `containers with unready status: [${notReady.join(" ")}]`,
    };
    this.#conditions = [
      this.#condition("PodScheduled", true),
      this.#condition("Initialized", this.#isInitialized, { reason: "ContainersNotInitialized" }),
      this.#condition("ContainersReady", isReady, because),
      this.#condition("Ready", isReady, because),
    ];
    const creating = ({ name, image }: { name: string; image: string }) => ({
      ...{ name, image, imageID: "", ready: false, started: false, restartCount: 0 },
      state: { waiting: { reason: "ContainerCreating" } },
    });
    const statuses =
      this.#containers.length > 0
        ? this.#containers.map((container) => container.status())
        : this.pod.spec.containers.map(creating);
    return {
      phase: this.#phase === "Running" && !this.#containers.every(({ hasRun }) => hasRun) ? "Pending" : this.#phase,
      startTime: this.#startTime,
      hostIP: gateway,
      ...(this.#ip === undefined ? {} : { podIP: this.#ip, podIPs: [{ ip: this.#ip }] }),
      conditions: this.#conditions,
      containerStatuses: statuses,
      ...(this.#inits.length === 0
        ? {}
        : { initContainerStatuses: this.#inits.map((container) => container.status()) }),
    };
  }

  #condition(type: string, isSo: boolean, because: { reason?: string; message?: string } = {}): Condition {
    const status = isSo ? "True" : "False";
    const before = this.#conditions.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : instant();
    return { type, status, ...(isSo ? {} : because), lastTransitionTime };
  }
}

function instant(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
