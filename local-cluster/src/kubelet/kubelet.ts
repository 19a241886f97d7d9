import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { clusterOf, type KubernetesObject, type WatchEvent } from "@nest/cluster";
import { makePrivateFolder } from "@nest/kit";
import { API_SERVICE, NODE } from "../api-server/api-server.ts";
import type { ContainerRun, KubeletCall } from "../api-server/kubelet-wire.ts";
import { Claims } from "./claims.ts";
import { NodeApi } from "./node-api.ts";
import type { NodeServer } from "./node-server.ts";
import { PodLife } from "./pod-life.ts";
import { isLeft, PodNetwork } from "./pod-network.ts";
import type { PodObject } from "./pod-shape.ts";
import { NodePodman } from "./podman.ts";
import { playExec, playLog } from "./streams.ts";

export interface KubeletOptions {
  /** Where volumes (which stay) and the files of pods (which do not) are kept. */
  readonly folder: string;
  /** What podman reads of its environment: its configuration and storage. */
  readonly environment: Readonly<Record<string, string>>;
  /** The first three numbers of the pods' addresses, where they are still free; any free ones unless given. */
  readonly net?: string | undefined;
  /** How long a container that ended waits for its restart: the first time, and at most. A real node takes 10 s and 5 min. */
  readonly restart?: { readonly firstMs: number; readonly longestMs: number };
  /** Pods with this annotation are somebody else's: nothing runs for them. */
  readonly leaves?: string;
  /** Hears of faults that no caller waits for. */
  readonly onFault?: (fault: unknown) => void;
}

/**
 * A stand-in for a node's kubelet that runs pods for real, with podman: each pod bound to the node has a network address of its
 * own, volumes, init containers, containers with probes and restarts, exec and logs; and its status says what really happened.
 * Images must be on this machine already. ConfigMaps and Secrets are mounted as they are when the pod starts. Pods that the API
 * server knows from an earlier run start again, with their volumes.
 */
export class Kubelet implements AsyncDisposable {
  readonly #server: NodeServer;
  readonly #options: KubeletOptions;
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, PodLife>();
  readonly #work = new Set<Promise<unknown>>();
  readonly #podman: NodePodman;
  readonly #network: PodNetwork;
  readonly #restart: { readonly firstMs: number; readonly longestMs: number };
  #extra: Readonly<Record<string, string>> = {};

  private constructor(
    server: NodeServer,
    node: { readonly podman: NodePodman; readonly network: PodNetwork },
    options: KubeletOptions,
  ) {
    this.#server = server;
    this.#options = options;
    this.#podman = node.podman;
    this.#network = node.network;
    this.#restart = options.restart ?? { firstMs: 500, longestMs: 5000 };
  }

  static async start(server: NodeServer, options: KubeletOptions): Promise<Kubelet> {
    await rm(join(options.folder, "pods"), { recursive: true, force: true });
    for (const name of ["pods", "volumes"]) await makePrivateFolder(join(options.folder, name));
    const podman = new NodePodman(options.environment, `nk${process.pid}-${randomBytes(3).toString("hex")}`);
    for (const node of await podman.nodes()) if (isLeft(node)) await podman.remove(`label=nest.node=${node}`);
    const network = await PodNetwork.make(options.net);
    const kubelet = new Kubelet(server, { podman, network }, options);
    try {
      await kubelet.#begin();
    } catch (thrown) {
      await kubelet[Symbol.asyncDispose]();
      throw thrown;
    }
    return kubelet;
  }

  /** This machine, as pods reach it. */
  get gateway(): string {
    return this.#network.gateway;
  }

  /** Lets pods reach a server of this machine at `gateway:port`; `to` tells its port on loopback, 0 while there is none. */
  serve(port: number, to: () => number): Promise<number> {
    return this.#network.forward(this.gateway, port, to);
  }

  /** Where a pod listens that is ready and has these labels; `port` is a number or its container's name for one. */
  placeOf(
    namespace: string,
    labels: Readonly<Record<string, string>>,
    port: number | string,
  ): { readonly host: string; readonly port: number } | undefined {
    const isWanted = ({ pod: { metadata }, isReady }: PodLife) =>
      isReady &&
      metadata.namespace === namespace &&
      Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value);
    // While one replaces another, the newer one serves.
    const life = [...this.#pods.values()].filter(isWanted).at(-1);
    const ports = life?.pod.spec.containers.flatMap((container) => container.ports ?? []);
    const number = typeof port === "number" ? port : ports?.find(({ name }) => name === port)?.containerPort;
    return life?.address === undefined || number === undefined ? undefined : { host: life.address, port: number };
  }

  async #begin(): Promise<void> {
    await this.#network.addAddress(API_SERVICE);
    const port = await this.#network.forward(API_SERVICE, 0, () => this.#server.port);
    this.#extra = { KUBERNETES_SERVICE_HOST: API_SERVICE, KUBERNETES_SERVICE_PORT: String(port) };
    this.#server.serveContainers((call, run, gone) => this.#serve(call, run, gone));
    const cluster = await clusterOf(await this.#server.kubeconfig());
    const { signal } = this.#stop;
    const claims = new Claims(this.#server, join(this.#options.folder, "volumes"));
    const onPod = (event: WatchEvent) => event.type !== "synced" && this.#see(event.type, event.object);
    const onClaim = (event: WatchEvent) => {
      if (event.type === "synced") return this.#keep(claims.sweep());
      this.#keep(event.type === "deleted" ? claims.forget(event.object) : claims.provide(event.object));
    };
    this.#keep(cluster.watch({ apiVersion: "v1", kind: "Pod" }, {}, { signal, onEvent: onPod }));
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
    this.#keep(cluster.watch(claim, {}, { signal, onEvent: onClaim }));
  }

  #see(type: "added" | "modified" | "deleted", object: KubernetesObject): void {
    const pod = object as unknown as PodObject;
    const { leaves } = this.#options;
    if (pod.spec.nodeName !== NODE) return;
    if (leaves !== undefined && object.metadata.annotations?.[leaves] !== undefined) return;
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
    await new NodeApi(this.#server).release(pod);
  }

  #node() {
    const { api, podman, network } = { api: new NodeApi(this.#server), podman: this.#podman, network: this.#network };
    const folderOf = (pod: PodObject) => join(this.#options.folder, "pods", pod.metadata.uid);
    const onFault = (fault: unknown) => this.#options.onFault?.(fault);
    return { api, podman, network, extra: this.#extra, restart: this.#restart, folderOf, onFault };
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
        if (!this.#stop.signal.aborted) this.#options.onFault?.(thrown);
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
    await rm(join(this.#options.folder, "pods"), { recursive: true, force: true });
  }
}
