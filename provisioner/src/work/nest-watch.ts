import type { KubernetesObject, ManagedCluster, ObjectKind, WatchEvent } from "@nest/cluster";
import type { Log } from "@nest/kit";
import { digestIn } from "../manifests/image-channel.ts";
import { selectorOfHub } from "../manifests/metadata.ts";
import { type LiveDeployment, type LivePod, liveDeployment, livePod } from "./live-objects.ts";
import type { LiveNest } from "./rollout.ts";

const POD: ObjectKind = { apiVersion: "v1", kind: "Pod" };
const DEPLOYMENT: ObjectKind = { apiVersion: "apps/v1", kind: "Deployment" };

/** By namespace, then by name; namespaces without any are left out. */
type ByNamespace<Live> = Map<string, Map<string, Live>>;

/**
 * All pods and Deployments of a hub's nests on one cluster, followed with one watch for each kind. Of each object only what is
 * judged is kept.
 */
export class NestWatch {
  readonly #pods: ByNamespace<LivePod> = new Map();
  readonly #deployments: ByNamespace<LiveDeployment> = new Map();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #stop = new AbortController();
  readonly #ends: Promise<unknown>;
  #fault: string | undefined;

  constructor(cluster: ManagedCluster, hubId: string, log: Log) {
    const follow = <Live>(
      kind: ObjectKind,
      into: ByNamespace<Live>,
      read: (object: KubernetesObject) => Live | undefined,
    ) =>
      cluster.watch(
        kind,
        { labelSelector: selectorOfHub(hubId) },
        {
          signal: this.#stop.signal,
          onEvent: (event) => {
            this.#fault = undefined;
            for (const namespace of take(into, read, event)) this.#tell(namespace);
          },
          onFault: (fault) => {
            if (this.#fault === undefined)
              log.warn({ code: fault.code, because: fault.message }, "a cluster is not heard");
            this.#fault = fault.message;
          },
        },
      );
    this.#ends = Promise.allSettled([
      follow(POD, this.#pods, livePod),
      follow(DEPLOYMENT, this.#deployments, liveDeployment),
    ]);
  }

  /** Why nothing is heard of the cluster at the moment; undefined while all is well. */
  get fault(): string | undefined {
    return this.#fault;
  }

  nest(namespace: string): LiveNest {
    return {
      deployment: this.#deployments.get(namespace)?.get("nest"),
      pods: [...(this.#pods.get(namespace)?.values() ?? [])],
    };
  }

  /** The digest of the image that a nest's pod runs; undefined where none runs, or it came from no registry. */
  runningDigest(namespace: string): string | undefined {
    const pod = this.nest(namespace).pods.find(({ phase, isEnding }) => phase === "Running" && !isEnding);
    return digestIn(pod?.containers.find(({ name }) => name === "nest")?.imageID);
  }

  /** Calls back after each change in a namespace; answers with the end of that. */
  onChange(namespace: string, listener: () => void): () => void {
    const all = this.#listeners.get(namespace) ?? new Set();
    this.#listeners.set(namespace, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#listeners.delete(namespace);
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ends;
  }

  #tell(namespace: string): void {
    for (const listener of [...(this.#listeners.get(namespace) ?? [])]) listener();
  }
}

/** Takes an event in; answers with the namespaces in which something may have changed. */
function take<Live>(
  into: ByNamespace<Live>,
  read: (object: KubernetesObject) => Live | undefined,
  event: WatchEvent,
): readonly string[] {
  if (event.type === "synced") {
    const before = [...into.keys()];
    into.clear();
    for (const object of event.objects) put(into, read, object);
    return [...new Set([...before, ...into.keys()])];
  }
  const { namespace = "", name } = event.object.metadata;
  if (event.type === "deleted") {
    into.get(namespace)?.delete(name);
    if (into.get(namespace)?.size === 0) into.delete(namespace);
  } else put(into, read, event.object);
  return [namespace];
}

function put<Live>(
  into: ByNamespace<Live>,
  read: (object: KubernetesObject) => Live | undefined,
  object: KubernetesObject,
): void {
  const { namespace = "", name } = object.metadata;
  const live = read(object);
  if (live === undefined) return;
  const all = into.get(namespace) ?? new Map<string, Live>();
  into.set(namespace, all.set(name, live));
}
