import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { clusterOf, type KubernetesObject, type WatchEvent } from "@nest/cluster";
import type { ContainerRun } from "../../fakes/kubernetes/exec-socket.ts";
import { PodmanHere, whyNoImage } from "../../harness/contributor-image.ts";
import { FolderHere } from "../../harness/folder-here.ts";
import type { KubeletCall } from "../kubelet-wire.ts";
import { NODE, PLAYED, type RealCluster, realClusterFolder } from "../real-cluster.ts";
import { Claims } from "./claims.ts";
import { NodeApi } from "./node-api.ts";
import { PodLife } from "./pod-life.ts";
import { API_SERVICE, isLeft, PodNetwork } from "./pod-network.ts";
import type { PodObject } from "./pod-shape.ts";
import { NodePodman } from "./podman.ts";
import { playExec, playLog } from "./streams.ts";

/**
 * Why pods cannot run for real on this machine; undefined when they can. A failure where CI is set, unless it says that it has
 * no real cluster.
 */
export async function whyNoPods(): Promise<string | undefined> {
  const reason = realClusterFolder() === undefined ? "the real API server is not built" : await whyNoContainers();
  const isRequired = process.env.CI === "true" && process.env.NEST_TEST_WITHOUT_REAL_CLUSTER !== "1";
  if (reason !== undefined && isRequired) throw new Error(`pods cannot run for real: ${reason}`);
  if (reason !== undefined) console.error(`skipped: tests with pods that run for real (${reason})`);
  return reason;
}

async function whyNoContainers(): Promise<string | undefined> {
  const reason = await whyNoImage();
  if (reason !== undefined) return reason;
  await using folder = await FolderHere.make("podman");
  const podman = await PodmanHere.make(folder);
  const without = await podman.whyNoContainers();
  if (without !== undefined) return without;
  return PodNetwork.make().then(
    async (network) => {
      await network[Symbol.asyncDispose]();
      return undefined;
    },
    (thrown: unknown) =>
      `no network for pods can be made (${thrown instanceof Error ? thrown.message.split("\n")[0] : thrown})`,
  );
}

export interface KubeletOptions {
  /** How long a container that ended waits for its restart: the first time, and at most. A real node takes 10 s and 5 min. */
  readonly restart?: { readonly firstMs: number; readonly longestMs: number };
}

/**
 * A stand-in for a node's kubelet that runs pods for real, with podman: each pod bound to the node has a network address of its
 * own, volumes, init containers, containers with probes and restarts, exec and logs; and its status says what really happened.
 * Images must be on this machine already. ConfigMaps and Secrets are mounted as they are when the pod starts.
 */
export class Kubelet implements AsyncDisposable {
  readonly #cluster: RealCluster;
  readonly #folder: FolderHere;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, PodLife>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #podman: NodePodman;
  readonly #network: PodNetwork;
  readonly #restart: { readonly firstMs: number; readonly longestMs: number };
  #extra: Readonly<Record<string, string>> = {};

  private constructor(
    cluster: RealCluster,
    node: { readonly folder: FolderHere; readonly podman: NodePodman; readonly network: PodNetwork },
    options: KubeletOptions,
  ) {
    this.#cluster = cluster;
    this.#folder = node.folder;
    this.#podman = node.podman;
    this.#network = node.network;
    this.#restart = options.restart ?? { firstMs: 500, longestMs: 5000 };
  }

  static async start(cluster: RealCluster, options: KubeletOptions = {}): Promise<Kubelet> {
    const folder = await FolderHere.make("kubelet");
    const { environment } = await PodmanHere.make(folder);
    const podman = new NodePodman(environment, `nk${process.pid}-${randomBytes(3).toString("hex")}`);
    for (const node of await podman.nodes()) if (isLeft(node)) await podman.remove(`label=nest.node=${node}`);
    const network = await PodNetwork.make();
    const kubelet = new Kubelet(cluster, { folder, podman, network }, options);
    await kubelet.#begin();
    return kubelet;
  }

  /** This machine, as pods reach it. */
  get gateway(): string {
    return this.#network.gateway;
  }

  async #begin(): Promise<void> {
    const port = await this.#network.forward(this.#cluster.port);
    this.#extra = { KUBERNETES_SERVICE_HOST: API_SERVICE, KUBERNETES_SERVICE_PORT: String(port) };
    this.#cluster.serveContainers((call, run, gone) => this.#serve(call, run, gone));
    const cluster = await clusterOf(await this.#cluster.kubeconfig());
    const { signal } = this.#stop;
    const claims = new Claims(this.#cluster, this.#folder.path);
    const onPod = (event: WatchEvent) => event.type !== "synced" && this.#see(event.type, event.object);
    const onClaim = (event: WatchEvent) => {
      if (event.type === "synced") return;
      this.#keep(event.type === "deleted" ? claims.forget(event.object) : claims.provide(event.object));
    };
    this.#keep(cluster.watch({ apiVersion: "v1", kind: "Pod" }, {}, { signal, onEvent: onPod }));
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
    this.#keep(cluster.watch(claim, {}, { signal, onEvent: onClaim }));
  }

  #see(type: "added" | "modified" | "deleted", object: KubernetesObject): void {
    const pod = object as unknown as PodObject;
    if (pod.spec.nodeName !== NODE || object.metadata.annotations?.[PLAYED] !== undefined) return;
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
    const life = this.#pods.get(uid);
    const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (type === "deleted") return void (life && this.#keep(this.#end(life, 0)));
    if (deletionTimestamp !== undefined) return void this.#keep(this.#end(life ?? pod, deletionGracePeriodSeconds));
    if (life === undefined && !isOver) this.#pods.set(uid, new PodLife(pod, this.#node()));
  }

  async #end(life: PodLife | PodObject, graceSeconds: number): Promise<void> {
    const pod = life instanceof PodLife ? life.pod : life;
    if (life instanceof PodLife) await life.end(graceSeconds);
    this.#pods.delete(pod.metadata.uid);
    await new NodeApi(this.#cluster).release(pod);
  }

  #node() {
    const { api, podman, network } = { api: new NodeApi(this.#cluster), podman: this.#podman, network: this.#network };
    const folderOf = (pod: PodObject) => join(this.#folder.path, `pod-${pod.metadata.uid}`);
    return { api, podman, network, extra: this.#extra, restart: this.#restart, folderOf };
  }

  #serve(call: KubeletCall, run: ContainerRun, gone: AbortSignal): void {
    const life = [...this.#pods.values()].find(
      ({ pod }) => pod.metadata.namespace === call.namespace && pod.metadata.name === call.pod,
    );
    const name = life?.containerName(call.container, call.logs?.previous);
    if (name === undefined) return run.cut();
    if (call.logs !== undefined) playLog(this.#podman, name, call.logs, { run, gone });
    else playExec(this.#podman, name, { run, gone });
  }

  /** Holds work until the end; a fault of it is shown, because no caller waits for it. */
  #keep(work: Promise<unknown>): void {
    const kept = work
      .catch((thrown: unknown) => {
        if (!this.#stop.signal.aborted) console.error("kubelet:", thrown);
      })
      .finally(() => this.#work.delete(kept));
    this.#work.add(kept);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#pods.values()].map((life) => life.end(0)));
    await Promise.all(this.#work);
    await this.#podman.remove(`label=nest.node=${this.#podman.label}`).catch(() => undefined);
    await this.#network[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
