import type { NestError } from "@nest/kit";
import type { Cluster } from "./cluster.ts";

/** An object as the API server knows it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly unknown[];
    readonly ownerReferences?: readonly unknown[];
  };
  readonly [key: string]: unknown;
}

/** Which kind of object: `{apiVersion: "apps/v1", kind: "Deployment"}`. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ObjectRef extends ObjectKind {
  readonly name: string;
  readonly namespace?: string;
}

export type WatchEvent =
  | { readonly type: "added" | "modified" | "deleted"; readonly object: KubernetesObject }
  /** All that is there was told: after the first list, and after each relist. A reader forgets what is not among `objects`. */
  | { readonly type: "synced"; readonly objects: readonly KubernetesObject[] };

export interface ObjectFilter {
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** As the API server writes it: `app=nest,tier!=spare,owner,!paused`. */
  readonly labelSelector?: string;
}

export interface WatchReader {
  readonly signal: AbortSignal;
  /** Called in order. If it throws, this reader's watch ends with that error. */
  onEvent(event: WatchEvent): void;
  /** Why nothing is heard at the moment; the watch goes on trying. */
  onFault?(fault: NestError): void;
}

/**
 * A cluster whose objects the hub keeps. When the signal aborts a call, the call rejects with the signal's reason; only
 * `watch` then resolves, because its end by the signal is its only one.
 *
 * Failures beside those of {@link Cluster}: `cluster_conflict` (409), `cluster_gone` (410), `cluster_busy` (429, 503: a
 * {@link ClusterBusy} with `retryAfterMs`), `cluster_invalid` (400, 422: with the server's words), `cluster_timeout` (no
 * answer in time).
 */
export interface ManagedCluster extends Cluster {
  /**
   * Server-side apply under the field manager `nest-hub`, forced. `dryRun` lets the server judge it and keep nothing.
   * Answers with the object as the server has it now.
   */
  apply(
    object: KubernetesObject,
    options: { readonly signal: AbortSignal; readonly dryRun?: boolean },
  ): Promise<KubernetesObject>;
  /** Undefined when there is none. */
  read(ref: ObjectRef, signal: AbortSignal): Promise<KubernetesObject | undefined>;
  /** All objects of a kind. Fetches page by page, and starts anew when a page has expired. */
  list(kind: ObjectKind, filter: ObjectFilter, signal: AbortSignal): Promise<readonly KubernetesObject[]>;
  /**
   * Follows a kind until the signal: what is there as `added`, then `synced`, then changes. Resumes where it was after a loss,
   * and lists anew when that is no longer possible. Refusals and losses are told to `onFault` and tried again, later each time.
   */
  watch(kind: ObjectKind, filter: ObjectFilter, follow: WatchReader): Promise<void>;
  /** Sets the replicas of a Deployment through its scale subresource. */
  scale(ref: ObjectRef, replicas: number, signal: AbortSignal): Promise<void>;
  /** Changes an object by a JSON merge patch; answers with the object as it is then. */
  patch(ref: ObjectRef, patch: object, signal: AbortSignal): Promise<KubernetesObject>;
  /** Deletes an object and what it owns; true when it was there. `Foreground` keeps it visible until what it owns is gone. */
  delete(
    ref: ObjectRef,
    options: { readonly signal: AbortSignal; readonly propagation?: "Foreground" | "Background" },
  ): Promise<boolean>;
  /** The server's version, as `1.36.3`: a cheap proof that it answers. */
  version(signal: AbortSignal): Promise<string>;
}

/** An object's name for a sentence: `Deployment nest-hosted-a/nest`. */
export function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The reference to an object that is at hand. */
export function refOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef {
  const { name, namespace } = metadata;
  return namespace === undefined ? { apiVersion, kind, name } : { apiVersion, kind, name, namespace };
}
