import { setTimeout as sleep } from "node:timers/promises";
import type { RealCluster } from "@nest/test/real-cluster";

interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string; readonly storageClassName?: string };
  readonly status?: { readonly phase?: string };
}

const LOOK_MS = 100;
const MERGE = "application/merge-patch+json";

/** Plays storage and node of a cluster: claims get a volume, pods run and are ready, deleted pods go. */
export class NodePlayer {
  readonly #cluster: RealCluster;
  readonly #stop = new AbortController();
  readonly #ends: Promise<void>;

  constructor(cluster: RealCluster) {
    this.#cluster = cluster;
    cluster.serveContainers((_, run) => run.exit(0));
    this.#ends = this.#play();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ends;
  }

  async #play(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const [claims, pods] = await Promise.all([this.#list("persistentvolumeclaims"), this.#list("pods")]);
      for (const { metadata, status } of claims)
        if (status?.phase === "Pending") await this.#giveVolume(metadata.namespace, metadata.name);
      for (const pod of pods) await this.#run(pod);
      await sleep(LOOK_MS);
    }
  }

  async #list(kind: string): Promise<readonly Item[]> {
    const { text } = await this.#cluster.call("GET", `/api/v1/${kind}`);
    return (JSON.parse(text) as { items: readonly Item[] }).items;
  }

  async #giveVolume(namespace: string, name: string): Promise<void> {
    await this.#cluster.create("/api/v1/persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `volume-${namespace}` },
      spec: {
        accessModes: ["ReadWriteMany"],
        capacity: { storage: "50Gi" },
        storageClassName: "shared",
        claimRef: { namespace, name, apiVersion: "v1", kind: "PersistentVolumeClaim" },
        hostPath: { path: "/nowhere" },
      },
    });
  }

  async #run({ metadata, spec, status }: Item): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined)
      return void (await this.#cluster.call("DELETE", `${path}?gracePeriodSeconds=0`));
    if (spec.nodeName === undefined || status?.phase === "Running") return;
    await this.#cluster.call("PATCH", `${path}/status`, { status: runningStatus(new Date().toISOString()) }, MERGE);
  }
}

/** What a node says of a nest's pod that is ready. */
export function runningStatus(at: string): object {
  const ready = (type: string) => ({ type, status: "True", lastTransitionTime: at });
  return {
    phase: "Running",
    conditions: [ready("Ready"), ready("ContainersReady")],
    containerStatuses: [
      {
        name: "nest",
        ready: true,
        restartCount: 0,
        image: "nest-spoke",
        imageID: "nest-spoke",
        state: { running: { startedAt: at } },
      },
    ],
  };
}
