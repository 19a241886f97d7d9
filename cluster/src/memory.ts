import type { NestError } from "@nest/kit";
import { type ClusterObject, clusterFault, type ExecRequest, type ExecResult, type Pod } from "./cluster.ts";
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
import { type MemoryCall, MemoryFaults, type Where } from "./memory-faults.ts";
import { followInMemory } from "./memory-follow.ts";
import { MemoryObjects } from "./memory-objects.ts";
import { mergePatch } from "./merge.ts";
import { podOf } from "./pod.ts";

/** The behaviour of a container when a program is run in it. */
export type Program = (request: ExecRequest) => Promise<ExecResult>;

const SECRET = { apiVersion: "v1", kind: "Secret" };
const POD = { apiVersion: "v1", kind: "Pod" };
const NAMESPACE = { apiVersion: "v1", kind: "Namespace" };

/**
 * A cluster in memory with the same contract as a real one, for tests and for programs without a cluster. It keeps objects and
 * tells watches; it runs no controllers: a test plays them with `put` and `setStatus`.
 */
export class MemoryCluster implements ManagedCluster {
  readonly #objects = new MemoryObjects();
  readonly #programs = new Map<string, Program>();
  readonly #forbidden = new Set<string>();
  readonly #faults = new MemoryFaults();
  /** Each call that changes something, in order: `apply Deployment nest-hosted-a/nest`. */
  readonly changes: string[] = [];

  addSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): void {
    this.put({ ...SECRET, metadata: { name, namespace }, type: "Opaque", data });
  }

  removeSecret(namespace: string, name: string): void {
    this.#objects.remove({ ...SECRET, namespace, name });
  }

  /** Forbids access to one Secret, or to all pods of a namespace (`<namespace>/pods`). */
  forbid(path: string): void {
    this.#forbidden.add(path);
  }

  addPod(namespace: string, pod: Pick<Pod, "name" | "phase"> & Partial<Pod>, program: Program): void {
    const containers = (pod.containers ?? ["nest"]).map((name) => ({ name }));
    const ending = pod.isEnding ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
    const metadata = { name: pod.name, namespace, ...ending };
    this.put({ ...POD, metadata, spec: { containers }, status: { phase: pod.phase } });
    this.#programs.set(`${namespace}/${pod.name}`, program);
  }

  /** Simulates a deployment that was scaled to zero. */
  removePods(namespace: string): void {
    for (const pod of this.#objects.list(POD, { namespace })) this.#objects.remove(refOf(pod));
  }

  /** Keeps an object as a controller or a person would, whoever owns it. */
  put(object: KubernetesObject): KubernetesObject {
    return this.#objects.put(object);
  }

  /** Takes an object away behind the back of whoever applied it. */
  take(ref: ObjectRef): boolean {
    return this.#objects.remove(ref);
  }

  /** Sets the status of an object, as a controller would. */
  setStatus(ref: ObjectRef, status: object): KubernetesObject {
    return this.#objects.put({ ...this.#there(ref), status });
  }

  /** The next `times` calls that `where` means fail with this error, or the error of this HTTP status. */
  fail(call: MemoryCall, where: Where, error: number | NestError, times = 1): void {
    this.#faults.add(call, where, error, times);
  }

  /** The next `times` calls that `where` means are not answered; they end by their signal. */
  hang(call: MemoryCall, where: Where, times = 1): void {
    this.#faults.add(call, where, "hang", times);
  }

  /** Ends all faults that were switched on. */
  heal(): void {
    this.#faults.clear();
  }

  /** Watches hear nothing of what happens `meanwhile`; then they list anew, and readers are told what is there (`synced`). */
  async loseWatches(meanwhile: () => unknown = () => undefined): Promise<void> {
    const restore = this.#objects.deafen();
    try {
      await meanwhile();
    } finally {
      restore();
    }
  }

  /** A namespace that is deleted stays terminating until {@link unstick}, as when something in it keeps a finalizer. */
  stick(namespace: string): void {
    const metadata = { name: "stuck", namespace, finalizers: ["nest.test/stuck"] };
    this.put({ apiVersion: "v1", kind: "ConfigMap", metadata } as KubernetesObject);
  }

  unstick(namespace: string): void {
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "stuck" };
    const found = this.#objects.find(ref);
    if (found === undefined) return;
    this.put(mergePatch(found, { metadata: { finalizers: null } }) as KubernetesObject);
    this.#objects.remove(ref);
  }

  async secret(namespace: string, name: string, signal: AbortSignal): Promise<ClusterObject> {
    const ref = { ...SECRET, namespace, name };
    await this.#faults.meet("secret", ref, signal);
    if (this.#forbidden.has(`${namespace}/${name}`)) throw clusterFault(403, nameOf(ref), "");
    return this.#there(ref);
  }

  async pods(namespace: string, signal: AbortSignal): Promise<readonly Pod[]> {
    await this.#faults.meet("pods", { ...POD, namespace }, signal);
    if (this.#forbidden.has(`${namespace}/pods`)) throw clusterFault(403, `pods of ${namespace}`, "");
    return this.#objects.list(POD, { namespace }).map(podOf);
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const { namespace, pod, signal } = request;
    await this.#faults.meet("exec", { ...POD, namespace, name: pod }, signal);
    const isThere = this.#objects.find({ ...POD, namespace, name: pod }) !== undefined;
    const program = this.#programs.get(`${namespace}/${pod}`);
    if (!isThere || program === undefined) throw clusterFault(404, `exec in ${namespace}/${pod}`, "");
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return Promise.race([program(request), stopped]);
  }

  async apply(
    object: KubernetesObject,
    options: { readonly signal: AbortSignal; readonly dryRun?: boolean },
  ): Promise<KubernetesObject> {
    const ref = refOf(object);
    await this.#faults.meet("apply", ref, options.signal);
    this.#checkPlace(ref);
    if (options.dryRun !== true) this.changes.push(`apply ${nameOf(ref)}`);
    return this.#objects.apply(object, options.dryRun);
  }

  async read(ref: ObjectRef, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    await this.#faults.meet("read", ref, signal);
    return this.#objects.find(ref);
  }

  async list(kind: ObjectKind, filter: ObjectFilter, signal: AbortSignal): Promise<readonly KubernetesObject[]> {
    await this.#faults.meet("list", { ...kind, ...filter }, signal);
    return this.#objects.list(kind, filter);
  }

  watch(kind: ObjectKind, filter: ObjectFilter, follow: WatchReader): Promise<void> {
    return followInMemory({ objects: this.#objects, faults: this.#faults }, { kind, filter }, follow);
  }

  async scale(ref: ObjectRef, replicas: number, signal: AbortSignal): Promise<void> {
    await this.#faults.meet("scale", ref, signal);
    this.changes.push(`scale ${nameOf(ref)} to ${replicas}`);
    this.#objects.put(mergePatch(this.#there(ref), { spec: { replicas } }) as KubernetesObject);
  }

  async patch(ref: ObjectRef, patch: object, signal: AbortSignal): Promise<KubernetesObject> {
    await this.#faults.meet("patch", ref, signal);
    this.changes.push(`patch ${nameOf(ref)}`);
    return this.#objects.put(mergePatch(this.#there(ref), patch) as KubernetesObject);
  }

  async delete(ref: ObjectRef, options: { readonly signal: AbortSignal }): Promise<boolean> {
    await this.#faults.meet("delete", ref, options.signal);
    this.changes.push(`delete ${nameOf(ref)}`);
    return this.#objects.remove(ref);
  }

  async version(signal: AbortSignal): Promise<string> {
    await this.#faults.meet("version", {}, signal);
    return "1.36.3";
  }

  #there(ref: ObjectRef): KubernetesObject {
    const found = this.#objects.find(ref);
    if (found === undefined) throw clusterFault(404, nameOf(ref), "");
    return found;
  }

  /** A name that no server takes, a namespace that is not there or ends: refused in the words of the real one. */
  #checkPlace(ref: ObjectRef): void {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(ref.name) && !ref.apiVersion.startsWith("rbac."))
      throw clusterFault(422, nameOf(ref), `metadata.name: Invalid value: "${ref.name}"`);
    if (ref.namespace === undefined) return;
    const home = this.#objects.find({ ...NAMESPACE, name: ref.namespace });
    if (home === undefined) throw clusterFault(404, nameOf(ref), `namespaces "${ref.namespace}" not found`);
    if (home.metadata.deletionTimestamp !== undefined)
      throw clusterFault(403, nameOf(ref), `because namespace ${ref.namespace} is being terminated`);
  }
}
