import { type Clock, silentLog } from "@nest/kit";
import type { LocalPlan, MissingHere } from "@nest/local-cluster";
import { ClustersFile } from "@nest/provisioner";

/** Under these ports of the gateway, pods reach what listens on loopback. */
export const PORTS_FOR_PODS = { hub: 8080, codeHost: 8090 };
const CLUSTER = "here";
const NAMES = { name: "this machine", domain: "localhost", ingress: "ingress" };

/** The cluster of this machine among those of the hub's `clusters.json`, which the hub reads live. */
export class ClusterEntryHere {
  readonly #file: ClustersFile;

  constructor(hubFolder: string, clock: Clock) {
    this.#file = new ClustersFile({ dataFolder: hubFolder, clock, log: silentLog() });
  }

  /** The hub makes no nest on it, and its pages tell why. */
  lacks(missing: readonly MissingHere[]): Promise<void> {
    return this.#put({ ...NAMES, missing });
  }

  /** It runs: the hub reaches it by this kubeconfig. */
  runs({ ports, gateway }: LocalPlan, kubeconfig: string, codeHostUrl: string): Promise<void> {
    return this.#put({
      ...NAMES,
      missing: null,
      kubeconfig_path: kubeconfig,
      ingress_port: ports.entrance,
      hub_url: `http://${gateway}:${PORTS_FOR_PODS.hub}`,
      environment: {
        NEST_GITHUB_API_URL: `http://${gateway}:${PORTS_FOR_PODS.codeHost}`,
        NEST_GITHUB_URL: codeHostUrl,
      },
    });
  }

  async #put(entry: Readonly<Record<string, unknown>>): Promise<void> {
    const isThere = (await this.#file.find(CLUSTER)) !== undefined;
    if (!isThere) await this.#file.add({ id: CLUSTER });
    await this.#file.set(CLUSTER, entry);
  }
}
