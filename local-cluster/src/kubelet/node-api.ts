import type { KubernetesObject } from "@nest/cluster";
import { NODE } from "../api-server/api-server.ts";
import type { NodeServer } from "./node-server.ts";
import type { PodObject } from "./pod-shape.ts";

/** What a node says to its API server and asks of it. */
export class NodeApi {
  readonly #cluster: NodeServer;

  constructor(cluster: NodeServer) {
    this.#cluster = cluster;
  }

  /** The text values of a Secret or ConfigMap; undefined when there is none. */
  async values(
    kind: "configmaps" | "secrets",
    namespace: string,
    name: string,
  ): Promise<ReadonlyMap<string, Buffer> | undefined> {
    const found = await this.#get(`/api/v1/namespaces/${namespace}/${kind}/${name}`);
    if (found === undefined) return undefined;
    const { data = {}, binaryData = {} } = found as { data?: Record<string, string>; binaryData?: object };
    const encoding = kind === "secrets" ? "base64" : "utf8";
    const texts = Object.entries(data).map(([key, text]) => [key, Buffer.from(text, encoding)] as const);
    const binary = Object.entries(binaryData as Record<string, string>);
    return new Map([...texts, ...binary.map(([key, text]) => [key, Buffer.from(text, "base64")] as const)]);
  }

  claim(namespace: string, name: string): Promise<KubernetesObject | undefined> {
    return this.#get(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`);
  }

  /** The folder of a volume on this node. */
  async volumeFolder(name: string): Promise<string | undefined> {
    const volume = await this.#get(`/api/v1/persistentvolumes/${name}`);
    return (volume?.spec as { hostPath?: { path?: string } } | undefined)?.hostPath?.path;
  }

  tokenOf(namespace: string, account: string): Promise<string> {
    return this.#cluster.tokenOf(namespace, account);
  }

  authority(): Promise<Buffer> {
    return this.#cluster.authority();
  }

  /** Tells a pod's status; a pod that is gone needs none. */
  async report({ metadata }: PodObject, status: object): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
    const body = { metadata: { uid: metadata.uid }, status };
    const { status: code, text } = await this.#cluster.call("PATCH", path, body, "application/merge-patch+json");
    if (code !== 200 && code !== 404 && code !== 409) throw new Error(`${path}: ${code} ${text}`);
  }

  /** Says that nothing of a pod is left on the node. */
  async release({ metadata }: PodObject): Promise<void> {
    const preconditions = { uid: metadata.uid };
    const body = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions };
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    const { status, text } = await this.#cluster.call("DELETE", path, body);
    // Another pod of this name is not ours (409).
    if (status !== 200 && status !== 404 && status !== 409) throw new Error(`${path}: ${status} ${text}`);
  }

  async event(pod: PodObject, event: { type: "Normal" | "Warning"; reason: string; message: string }): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const involvedObject = { apiVersion: "v1", kind: "Pod", name, namespace, uid };
    const metadata = { generateName: `${name.slice(0, 200)}.`, namespace };
    const times = { firstTimestamp: at, lastTimestamp: at, count: 1 };
    const source = { component: "kubelet", host: NODE };
    const body = { apiVersion: "v1", kind: "Event", metadata, involvedObject, source, ...times, ...event };
    await this.#cluster.call("POST", `/api/v1/namespaces/${namespace}/events`, body);
  }

  async #get(path: string): Promise<KubernetesObject | undefined> {
    const { status, text } = await this.#cluster.call("GET", path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as KubernetesObject;
  }
}
