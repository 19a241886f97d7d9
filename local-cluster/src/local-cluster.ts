import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterOf, type KubernetesObject, type ManagedCluster, type WatchEvent } from "@nest/cluster";
import { makePrivateFolder, NestError, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { ApiServer } from "./api-server/api-server.ts";
import type { ServerPrograms } from "./api-server/programs.ts";
import { endLeftProcesses } from "./api-server/started-processes.ts";
import { type Door, doorsOf } from "./entrance/doors.ts";
import { Entrance } from "./entrance/entrance.ts";
import { Kubelet } from "./kubelet/kubelet.ts";
import { netLike } from "./kubelet/pod-network.ts";
import { type Ports, portsLike } from "./ports.ts";

/** Where the parts of a local cluster are reached. Its nests know these addresses, so they stay from one run to the next. */
export interface LocalPlan {
  readonly ports: Ports;
  /** The first three numbers of the pods' addresses. */
  readonly net: string;
  /** This machine, as pods reach it. */
  readonly gateway: string;
}

/** Ports that somebody asked for; undefined: those of the last run, or any. */
export interface AskedPorts {
  readonly hub: number | undefined;
  readonly entrance: number | undefined;
}

export interface LocalClusterOptions {
  /** Where everything of it is kept: objects, keys, volumes, logs. */
  readonly folder: string;
  readonly plan: LocalPlan;
  readonly programs: ServerPrograms;
  /** What podman reads of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Servers of this machine that pods reach at the gateway, by the port there; each tells its port on loopback, 0 for none yet. */
  readonly servers: ReadonlyMap<number, () => number>;
  /** Hears what is being started. */
  readonly onStart: (what: string) => void;
  /** Hears of faults that no caller waits for. */
  readonly onFault: (fault: unknown) => void;
}

/** How long another program may hold a port that is needed, before that is an error. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** How soon a container that ended is started again: sooner than on a real node, because somebody is watching. */
const RESTART = { firstMs: 1000, longestMs: 60_000 };

/**
 * Where a cluster in this folder listens: as in its last run, if there was one.
 *
 * @throws NestError `local_cluster_failed` when nests were made under an address that another program has now.
 */
export async function planLocalCluster(folder: string, asked: AskedPorts): Promise<LocalPlan> {
  await makePrivateFolder(folder);
  await endLeftProcesses(join(folder, "server"));
  const file = join(folder, "plan.json");
  const text = await readTextIfPresent(file);
  const before = text === undefined ? undefined : (JSON.parse(text) as Pick<LocalPlan, "ports" | "net">);
  const ports = await portsOf({
    ...before?.ports,
    ...(asked.hub === undefined ? {} : { hub: asked.hub }),
    ...(asked.entrance === undefined ? {} : { entrance: asked.entrance }),
  });
  const net = await netLike(before?.net);
  if (before !== undefined && net !== before.net)
    throw new NestError("local_cluster_failed", `the addresses ${before.net}.0/24 of the nests made here are taken`, {
      hint: "ip addr shows by what; end it, or forget these nests with -fresh",
    });
  await writeFileAtomic(file, `${JSON.stringify({ ports, net })}\n`);
  return { ports, net, gateway: `${net}.1` };
}

/** The ports wanted. A hub that was told to end a moment ago may still hold one of them. */
async function portsOf(wanted: Partial<Ports>): Promise<Ports> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const ports = await portsLike(wanted);
    const taken = (["hub", "entrance"] as const).find((name) => ports[name] !== (wanted[name] ?? ports[name]));
    if (taken === undefined) return ports;
    if (waitedMs >= PATIENCE_MS)
      throw new NestError("local_cluster_failed", `port ${wanted[taken]} is taken, and hosted nests need it`, {
        hint: `it is the ${taken}'s: end what listens there, or forget these nests with -fresh`,
      });
    await sleep(PAUSE_MS);
  }
}

/** A cluster on this machine alone: an API server with its controllers, a node that runs pods with podman, and an entrance. */
export class LocalCluster implements AsyncDisposable {
  /** With which the hub reaches it. */
  readonly kubeconfig: string;
  readonly #parts: readonly AsyncDisposable[];
  readonly #stop: AbortController;

  private constructor(kubeconfig: string, parts: readonly AsyncDisposable[], stop: AbortController) {
    this.kubeconfig = kubeconfig;
    this.#parts = parts;
    this.#stop = stop;
  }

  /** @throws NestError `local_cluster_failed`; what was started is stopped then. */
  static async start(options: LocalClusterOptions): Promise<LocalCluster> {
    const { folder, plan, programs, environment, servers, onStart, onFault } = options;
    const parts: AsyncDisposable[] = [];
    const stop = new AbortController();
    try {
      onStart("the Kubernetes API server");
      const server = await ApiServer.start({
        programs,
        folder: join(folder, "server"),
        ports: plan.ports,
        controllers: true,
        isDurable: true,
        onEnd: (why) => onFault(new Error(why)),
      });
      parts.push(server);
      onStart("the node that runs pods");
      const { net } = plan;
      const kubelet = await Kubelet.start(server, {
        folder: join(folder, "node"),
        environment,
        net,
        restart: RESTART,
        onFault,
      });
      parts.push(kubelet);
      for (const [port, to] of servers) await kubelet.serve(port, to);
      const kubeconfig = await server.kubeconfig();
      const routes = new Routes(kubelet);
      routes.watch(await clusterOf(kubeconfig), stop.signal, onFault);
      parts.push(await Entrance.start(plan.ports.entrance, routes));
      return new LocalCluster(kubeconfig, parts, stop);
    } catch (thrown) {
      stop.abort();
      for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const part of [...this.#parts].reverse()) await part[Symbol.asyncDispose]();
  }
}

interface ServiceSpec {
  readonly selector?: Readonly<Record<string, string>>;
  readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort?: number | string }[];
}

/** Which door leads to which pod, by the Ingress and Service objects of the cluster. */
class Routes {
  readonly #kubelet: Pick<Kubelet, "placeOf">;
  readonly #ingresses = new Map<string, readonly Door[]>();
  readonly #services = new Map<string, ServiceSpec>();

  constructor(kubelet: Pick<Kubelet, "placeOf">) {
    this.#kubelet = kubelet;
  }

  watch(cluster: ManagedCluster, signal: AbortSignal, onFault: (fault: unknown) => void): void {
    const follow = <Kept>(
      kind: { apiVersion: string; kind: string },
      all: Map<string, Kept>,
      read: (object: KubernetesObject) => Kept,
    ) => {
      const onEvent = (event: WatchEvent) => {
        if (event.type === "synced") return;
        const { namespace, name } = event.object.metadata;
        if (event.type === "deleted") all.delete(`${namespace}/${name}`);
        else all.set(`${namespace}/${name}`, read(event.object));
      };
      cluster.watch(kind, {}, { signal, onEvent }).catch((thrown: unknown) => {
        if (!signal.aborted) onFault(thrown);
      });
    };
    follow({ apiVersion: "networking.k8s.io/v1", kind: "Ingress" }, this.#ingresses, doorsOf);
    follow({ apiVersion: "v1", kind: "Service" }, this.#services, ({ spec }) => (spec ?? {}) as ServiceSpec);
  }

  readonly doors = (): readonly Door[] => [...this.#ingresses.values()].flat();

  readonly podOf = ({ namespace, service, port }: Door) => {
    const { selector, ports = [] } = this.#services.get(`${namespace}/${service}`) ?? {};
    const found = ports.find((one) => one.name === port || one.port === port);
    if (selector === undefined || found === undefined) return undefined;
    return this.#kubelet.placeOf(namespace, selector, found.targetPort ?? found.port);
  };
}
