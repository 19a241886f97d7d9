import type { KubeConfig } from "@kubernetes/client-node";
import { NestError, strikeOut, systemClock, systemRandom } from "@nest/kit";
import type { ClusterObject, ExecRequest, ExecResult, Pod } from "./cluster.ts";
import { Credentials } from "./credentials.ts";
import { Discovery, segment } from "./discovery.ts";
import { execOverSocket, NoSocket } from "./exec.ts";
import { execOverSpdy } from "./exec-spdy.ts";
import { listPages, objectIn } from "./list-pages.ts";
import {
  type KubernetesObject,
  type ManagedCluster,
  nameOf,
  type ObjectFilter,
  type ObjectKind,
  type ObjectRef,
  refOf,
  type WatchReader,
} from "./managed.ts";
import { podOf } from "./pod.ts";
import { type ApiCall, ApiRequests, type Timing } from "./requests.ts";
import { SharedWatch } from "./shared-watch.ts";

const MANAGER = "nest-hub";
const MERGE = "application/merge-patch+json";
/** Takes JSON too, which is YAML. */
const APPLY = "application/apply-patch+yaml";

/**
 * A real cluster. The official client reads kubeconfigs and signs requests (certificates, tokens, exec plugins); this class
 * sends its requests itself, so that each can be aborted and is limited.
 */
export class KubernetesCluster implements ManagedCluster {
  readonly #credentials: Credentials;
  readonly #requests: ApiRequests;
  readonly #discovery: Discovery;
  readonly #timing: Timing;
  readonly #watches = new Map<string, SharedWatch>();

  /** `read` gives the kubeconfig anew when the cluster no longer takes the first one's credentials. */
  constructor(config: KubeConfig, options: Partial<Timing> & { read?: () => KubeConfig | Promise<KubeConfig> } = {}) {
    const { read = () => config, ...timing } = options;
    this.#timing = { clock: systemClock(), random: systemRandom(), requestMs: 30_000, silenceMs: 150_000, ...timing };
    this.#credentials = new Credentials(config, read);
    this.#requests = new ApiRequests(this.#credentials, this.#timing);
    this.#discovery = new Discovery(this.#requests);
  }

  async secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject> {
    const path = `/api/v1/namespaces/${segment(namespace)}/secrets/${segment(name)}`;
    return this.#send({ method: "GET", path, what: `Secret ${namespace}/${name}`, signal });
  }

  async pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]> {
    const path = `/api/v1/namespaces/${segment(namespace)}/pods`;
    const body = await this.#send({ method: "GET", path, what: `pods of ${namespace}`, signal });
    return (Array.isArray(body.items) ? (body.items as readonly object[]) : []).map(podOf);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const what = `exec in ${request.namespace}/${request.pod}`;
    const query = new URLSearchParams({ container: request.container, stdout: "true", stderr: "true" });
    if (request.stdin !== undefined) query.set("stdin", "true");
    for (const word of request.command) query.append("command", word);
    const path = `/api/v1/namespaces/${segment(request.namespace)}/pods/${segment(request.pod)}/exec`;
    const url = this.#credentials.url(`${path}?${query}`);
    const options = () => this.#credentials.options(what, request.signal);
    try {
      return await execOverSocket({ url, options: await options(), what, request });
    } catch (thrown) {
      // A WebSocket begins with GET, which needs the verb `get` in addition to `create`; SPDY needs only `create`.
      if (!(thrown instanceof NoSocket)) throw thrown;
      return execOverSpdy({ url, options: await options(), what, request });
    }
  }

  async apply(
    object: KubernetesObject,
    { signal, dryRun = false }: { readonly signal: AbortSignal; readonly dryRun?: boolean },
  ): Promise<KubernetesObject> {
    const query = new URLSearchParams({ fieldManager: MANAGER, force: "true" });
    if (dryRun) query.set("dryRun", "All");
    const { managedFields: _, ...metadata } = object.metadata;
    const ref = refOf(object);
    const body = { type: APPLY, json: { ...object, metadata } };
    return this.#change({ ref, verb: "apply", ending: `?${query}`, body, signal });
  }

  async read(ref: ObjectRef, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    const path = await this.#discovery.pathOfObject(ref, signal);
    const what = nameOf(ref);
    const body = await this.#send({ method: "GET", path, what, signal }).catch(absentAsUndefined);
    return body === undefined ? undefined : objectIn(body, what);
  }

  async list(kind: ObjectKind, filter: ObjectFilter, signal: AbortSignal): Promise<readonly KubernetesObject[]> {
    const path = await this.#discovery.pathOf(kind, filter.namespace, signal);
    const { labelSelector } = filter;
    return (await listPages(this.#requests, { path, kind, labelSelector, signal })).objects;
  }

  /** Readers of the same kind and label selector share one watch over all namespaces, which the hub's role must allow. */
  watch(kind: ObjectKind, filter: ObjectFilter, follow: WatchReader): Promise<void> {
    const { labelSelector } = filter;
    const key = JSON.stringify([kind.apiVersion, kind.kind, labelSelector]);
    let watch = this.#watches.get(key);
    if (watch === undefined) {
      const deps = { requests: this.#requests, discovery: this.#discovery, timing: this.#timing };
      watch = new SharedWatch(deps, { kind, labelSelector }, () => this.#watches.delete(key));
      if (!follow.signal.aborted) this.#watches.set(key, watch);
    }
    return watch.read(filter.namespace, follow);
  }

  async scale(ref: ObjectRef, replicas: number, signal: AbortSignal): Promise<void> {
    const body = { type: MERGE, json: { spec: { replicas } } };
    await this.#change({ ref, verb: "scale", ending: `/scale?fieldManager=${MANAGER}`, body, signal });
  }

  async patch(ref: ObjectRef, patch: object, signal: AbortSignal): Promise<KubernetesObject> {
    const body = { type: MERGE, json: patch };
    return this.#change({ ref, verb: "patch", ending: `?fieldManager=${MANAGER}`, body, signal });
  }

  async delete(
    ref: ObjectRef,
    options: { readonly signal: AbortSignal; readonly propagation?: "Foreground" | "Background" },
  ): Promise<boolean> {
    const { signal, propagation = "Foreground" } = options;
    const path = await this.#discovery.pathOfObject(ref, signal);
    const json = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation };
    const body = { type: "application/json", json };
    try {
      await this.#send({ method: "DELETE", path, what: `delete ${nameOf(ref)}`, signal, body });
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === "cluster_absent") return false;
      // A namespace that is being deleted already refuses to be deleted again.
      if (codeOf(thrown) !== "cluster_conflict") throw thrown;
      const left = await this.read(ref, signal);
      if (left !== undefined && left.metadata.deletionTimestamp === undefined) throw thrown;
      return true;
    }
  }

  async version(signal: AbortSignal): Promise<string> {
    const { gitVersion } = await this.#send({ method: "GET", path: "/version", what: "version", signal });
    const [, number] = /^v?(\d+\.\d+\.\d+)/.exec(typeof gitVersion === "string" ? gitVersion : "") ?? [];
    if (number === undefined) throw new NestError("cluster_failed", "version: the answer names no version");
    return number;
  }

  async #change(change: {
    readonly ref: ObjectRef;
    readonly verb: string;
    readonly ending: string;
    readonly body: { readonly type: string; readonly json: object };
    readonly signal: AbortSignal;
  }): Promise<KubernetesObject> {
    const { ref, body, signal } = change;
    const path = `${await this.#discovery.pathOfObject(ref, signal)}${change.ending}`;
    const what = `${change.verb} ${nameOf(ref)}`;
    const unsaid = (words: string) => strikeOut(words, ref.kind === "Secret" ? secretsIn(body.json) : []);
    return objectIn(await this.#send({ method: "PATCH", path, what, signal, body, unsaid }), what);
  }

  async #send(call: ApiCall): Promise<Readonly<Record<string, unknown>>> {
    call.signal.throwIfAborted();
    return (await this.#requests.send(call)).body;
  }
}

/** Every value in a Secret that its server's words might repeat. */
function secretsIn(json: object): readonly string[] {
  const { data, stringData } = json as { data?: object | null; stringData?: object | null };
  return [data, stringData]
    .flatMap((part) => Object.values(part ?? {}))
    .filter((value): value is string => typeof value === "string" && value !== "");
}

function absentAsUndefined(thrown: unknown): undefined {
  if (codeOf(thrown) !== "cluster_absent") throw thrown;
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof NestError ? thrown.code : undefined;
}
