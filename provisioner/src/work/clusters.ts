import type { ManagedCluster } from "@nest/cluster";
import { type Log, NestError } from "@nest/kit";
import { type ClusterEntry, incompleteFault } from "../records/clusters-file.ts";
import { NestWatch } from "./nest-watch.ts";
import type { WorkCluster } from "./step.ts";

export interface ClustersDeps {
  readonly entry: (id: string) => Promise<ClusterEntry | undefined>;
  /** Opens the cluster of an entry; never called for one that is pull_only. */
  readonly connect: (entry: ClusterEntry) => Promise<ManagedCluster>;
  readonly hubId: string;
  readonly log: Log;
}

interface Open {
  /** A cluster whose entry names another kubeconfig by now is opened anew. */
  readonly stamp: string;
  readonly cluster: Promise<ManagedCluster>;
  watch: NestWatch | undefined;
}

/** The clusters that the hub works on: one client and one watch of each kind for each, opened when first needed. */
export class Clusters {
  readonly #deps: ClustersDeps;
  readonly #open = new Map<string, Open>();

  constructor(deps: ClustersDeps) {
    this.#deps = deps;
  }

  /** @throws NestError `cluster_unknown`, `cluster_pull_only`, or what connecting failed with. */
  async get(id: string): Promise<WorkCluster> {
    const entry = await this.#deps.entry(id);
    if (entry === undefined) throw new NestError("cluster_unknown", `there is no cluster ${JSON.stringify(id)}`);
    const incomplete = incompleteFault(entry.record);
    if (incomplete !== undefined) throw incomplete;
    if (entry.pullOnlyBecause !== undefined)
      throw new NestError("cluster_pull_only", `the hub does not work on cluster ${id}: ${entry.pullOnlyBecause}`, {
        hint: "apply the objects by hand (nest instance -h)",
      });
    const open = await this.#opened(id, entry);
    const cluster = await open.cluster;
    open.watch ??= new NestWatch(cluster, this.#deps.hubId, this.#deps.log);
    return { record: entry.record, cluster, watch: open.watch };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ watch }) => watch?.close()));
    this.#open.clear();
  }

  async #opened(id: string, entry: ClusterEntry): Promise<Open> {
    const stamp = `${entry.kubeconfig} ${entry.record.context} ${entry.record.in_cluster}`;
    const known = this.#open.get(id);
    if (known?.stamp === stamp) return known;
    const open: Open = { stamp, cluster: this.#deps.connect(entry), watch: undefined };
    this.#open.set(id, open);
    open.cluster.catch(() => {
      if (this.#open.get(id) === open) this.#open.delete(id);
    });
    await known?.watch?.close();
    return open;
  }
}
