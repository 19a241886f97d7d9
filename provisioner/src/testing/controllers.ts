import { text } from "node:stream/consumers";
import type { ExecRequest, KubernetesObject, MemoryCluster } from "@nest/cluster";

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" };
const NAMESPACE = { apiVersion: "v1", kind: "Namespace" };

/** What becomes of the pod of a nest. */
export type PodFate =
  | "runs"
  | "waits"
  | { readonly status: object; readonly annotations?: Readonly<Record<string, string>> };

interface Template {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: { readonly containers: readonly { readonly image?: string }[] };
}

const running = {
  phase: "Running",
  conditions: [{ type: "PodScheduled", status: "True" }],
  containerStatuses: [{ name: "nest", ready: true, restartCount: 0, state: { running: {} } }],
};

/** Plays the controllers of a cluster in memory: each Deployment gets its pod, with the fate that the test chooses for it. */
export class FakeControllers implements Disposable {
  readonly #cluster: MemoryCluster;
  readonly #stop = new AbortController();
  readonly #made = new Map<string, string>();
  /** By image; others run. */
  readonly fates = new Map<string, PodFate>();
  /** `/data/nest.yaml.dashboard` by namespace. */
  readonly overlays = new Map<string, string>();
  readonly #seen = new Map<string, KubernetesObject>();
  #pods = 0;

  constructor(cluster: MemoryCluster) {
    this.#cluster = cluster;
    const { signal } = this.#stop;
    void cluster.watch(
      DEPLOYMENT,
      {},
      {
        signal,
        onEvent: (event) => {
          // A controller acts after the call that it reacts to.
          if (event.type === "added" || event.type === "modified") setImmediate(() => this.#reconcile(event.object));
        },
      },
    );
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  /** Gives every pod the fate that its image has now. */
  async renew(): Promise<void> {
    this.#made.clear();
    for (const deployment of this.#seen.values()) await this.#reconcile(deployment);
  }

  async #reconcile(seen: KubernetesObject): Promise<void> {
    const { namespace = "", name } = seen.metadata;
    const ref = { ...DEPLOYMENT, namespace, name };
    this.#seen.set(namespace, seen);
    const signal = new AbortController().signal;
    const deployment = await this.#cluster.read(ref, signal);
    const home = await this.#cluster.read({ ...NAMESPACE, name: namespace }, signal);
    if (deployment === undefined || home?.metadata.deletionTimestamp !== undefined) return;
    const { replicas, template } = deployment.spec as { replicas: number; template: Template };
    const image = template.spec.containers[0]?.image ?? "";
    const wanted = replicas === 0 ? "" : image;
    if (this.#made.get(namespace) !== wanted) this.#replacePods(namespace, template, wanted);
    const isUp = replicas > 0 && this.#fate(image) === "runs";
    const status = {
      observedGeneration: deployment.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: isUp ? replicas : 0,
    };
    if (JSON.stringify(deployment.status) !== JSON.stringify(status)) this.#cluster.setStatus(ref, status);
  }

  #replacePods(namespace: string, { metadata, spec }: Template, image: string): void {
    this.#made.set(namespace, image);
    this.#cluster.removePods(namespace);
    if (image === "") return;
    const fate = this.#fate(image);
    const chosen = typeof fate === "object" ? fate : { status: fate === "runs" ? running : { phase: "Pending" } };
    this.#pods += 1;
    const name = `nest-${this.#pods}`;
    this.#cluster.addPod(namespace, { name, phase: "Pending" }, (request) => this.#run(request));
    const annotations = "annotations" in chosen ? (chosen.annotations ?? {}) : {};
    this.#cluster.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace, labels: metadata.labels, annotations },
      spec,
      status: chosen.status,
    });
  }

  /** The two programs that a claim runs. */
  async #run({ namespace, stdin, stdout }: ExecRequest) {
    const overlay = this.overlays.get(namespace);
    if (stdin !== undefined) this.overlays.set(namespace, await text(stdin));
    else if (overlay === undefined) return { exitCode: 1, stderr: "cat: no such file" };
    else stdout(Buffer.from(overlay));
    return { exitCode: 0, stderr: "" };
  }

  #fate(image: string): PodFate {
    return this.fates.get(image) ?? "runs";
  }
}
