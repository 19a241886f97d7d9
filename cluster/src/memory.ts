import {
  type Cluster,
  type ClusterObject,
  clusterFault,
  type ExecRequest,
  type ExecResult,
  type Pod,
} from "./cluster.ts";

/** The behaviour of a container when a program is run in it. */
export type Program = (request: ExecRequest) => Promise<ExecResult>;

/** A cluster in memory with the same contract as a real one, for tests and for programs without a cluster. */
export class MemoryCluster implements Cluster {
  readonly #secrets = new Map<string, ClusterObject>();
  readonly #pods = new Map<string, { readonly pod: Pod; readonly program: Program }[]>();
  readonly #forbidden = new Set<string>();

  addSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): void {
    const metadata = { name, namespace, uid: "5d0c", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
    this.#secrets.set(`${namespace}/${name}`, { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data });
  }

  removeSecret(namespace: string, name: string): void {
    this.#secrets.delete(`${namespace}/${name}`);
  }

  /** Forbids access to one Secret, or to all pods of a namespace (`<namespace>/pods`). */
  forbid(path: string): void {
    this.#forbidden.add(path);
  }

  addPod(namespace: string, pod: Pick<Pod, "name" | "phase"> & Partial<Pod>, program: Program): void {
    const entry = { pod: { isEnding: false, containers: ["nest"], ...pod }, program };
    this.#pods.set(namespace, [...(this.#pods.get(namespace) ?? []), entry]);
  }

  /** Simulates a deployment that was scaled to zero. */
  removePods(namespace: string): void {
    this.#pods.delete(namespace);
  }

  async secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject> {
    signal.throwIfAborted();
    const what = `Secret ${namespace}/${name}`;
    if (this.#forbidden.has(`${namespace}/${name}`)) throw clusterFault(403, what, "");
    const secret = this.#secrets.get(`${namespace}/${name}`);
    if (secret === undefined) throw clusterFault(404, what, "");
    return secret;
  }

  async pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]> {
    signal.throwIfAborted();
    if (this.#forbidden.has(`${namespace}/pods`)) throw clusterFault(403, `pods of ${namespace}`, "");
    return (this.#pods.get(namespace) ?? []).map(({ pod }) => pod);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    request.signal.throwIfAborted();
    const entry = this.#pods.get(request.namespace)?.find(({ pod }) => pod.name === request.pod);
    if (entry === undefined) throw clusterFault(404, `exec in ${request.namespace}/${request.pod}`, "");
    const stopped = new Promise<never>((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
    });
    return Promise.race([entry.program(request), stopped]);
  }
}
