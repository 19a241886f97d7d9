import { labelSelector } from "./label-selector.ts";
import type { KubernetesObject, ObjectFilter, ObjectKind, ObjectRef, WatchEvent } from "./managed.ts";
import { refOf } from "./managed.ts";
import { appliedOver } from "./merge.ts";

/** A change of one object. */
export type Change = Extract<WatchEvent, { readonly object: KubernetesObject }>;

interface Entry {
  object: KubernetesObject;
  /** What was applied last; a later apply takes away what it no longer names. */
  applied: object | undefined;
}

interface Follower {
  readonly kind: ObjectKind;
  readonly filter: ObjectFilter;
  readonly tell: (event: WatchEvent) => void;
}

/**
 * The objects of a cluster in memory, with versions, finalizers, cascades and watches. Behind `MemoryCluster` and behind the
 * small API server of the tests.
 */
export class MemoryObjects {
  readonly #entries = new Map<string, Entry>();
  readonly #followers = new Set<Follower>();
  readonly #onChange: (change: Change) => void;
  #version = 1;
  #isDeaf = false;

  /** `onChange` hears every change of any kind, in order. */
  constructor(onChange: (change: Change) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** The version of the latest change. */
  get version(): string {
    return String(this.#version);
  }

  find(ref: ObjectRef): KubernetesObject | undefined {
    return this.#entries.get(keyOf(ref))?.object;
  }

  list(kind: ObjectKind, filter: ObjectFilter): readonly KubernetesObject[] {
    const isWanted = matches(kind, filter);
    return [...this.#entries.values()].map(({ object }) => object).filter(isWanted);
  }

  /** Server-side apply: takes away what the last one named and this one does not, leaves what others own. */
  apply(object: KubernetesObject, isDryRun = false): KubernetesObject {
    const before = this.#entries.get(keyOf(refOf(object)));
    const merged = appliedOver(before?.object, before?.applied, object) as KubernetesObject;
    if (isDryRun) return this.#stamped(merged, before?.object);
    const isNew = before === undefined && object.kind === "Namespace";
    return this.put(isNew ? { ...merged, status: { phase: "Active" } } : merged, structuredClone(object));
  }

  /** Keeps an object, with a new version unless nothing changed; answers with it as it is kept. */
  put(object: KubernetesObject, applied?: object): KubernetesObject {
    const key = keyOf(refOf(object));
    const before = this.#entries.get(key);
    const kept = this.#stamped(object, before?.object);
    if (before !== undefined && same(before.object, kept)) {
      before.applied = applied ?? before.applied;
      return before.object;
    }
    const versioned = this.#versioned(kept);
    this.#entries.set(key, { object: versioned, applied: applied ?? before?.applied });
    this.#tell({ type: before === undefined ? "added" : "modified", object: versioned });
    if (isEnding(versioned)) this.#endIfFree(versioned);
    return versioned;
  }

  /** Takes an object away with what it owns; a namespace with all that is in it. What has finalizers stays until they go. */
  remove(ref: ObjectRef): boolean {
    const found = this.#entries.get(keyOf(ref))?.object;
    if (found === undefined) return false;
    for (const owned of this.#ownedBy(found)) if (!isEnding(owned)) this.remove(refOf(owned));
    if (isEnding(found)) this.#endIfFree(found);
    else if (this.#isHeld(found)) this.put(endingNow(found));
    else this.#drop(found);
    return true;
  }

  #isHeld(object: KubernetesObject): boolean {
    const { finalizers = [] } = object.metadata as { finalizers?: readonly string[] };
    return finalizers.length > 0 || (object.kind === "Namespace" && this.#ownedBy(object).length > 0);
  }

  #endIfFree(object: KubernetesObject): void {
    if (!this.#isHeld(object)) this.#drop(object);
  }

  #drop(object: KubernetesObject): void {
    if (!this.#entries.delete(keyOf(refOf(object)))) return;
    this.#tell({ type: "deleted", object: this.#versioned(object) });
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    const home = this.find({ apiVersion: "v1", kind: "Namespace", name: namespace });
    if (home !== undefined && isEnding(home)) this.#endIfFree(home);
  }

  /** Follows a kind: what is there, then changes. The returned function ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    const objects = this.list(follower.kind, follower.filter);
    for (const object of objects) follower.tell({ type: "added", object });
    follower.tell({ type: "synced", objects });
    return () => this.#followers.delete(follower);
  }

  /** What happens until the returned function is called is told to nobody; then each follower learns what is there. */
  deafen(): () => void {
    this.#isDeaf = true;
    return () => {
      this.#isDeaf = false;
      for (const { kind, filter, tell } of this.#followers) tell({ type: "synced", objects: this.list(kind, filter) });
    };
  }

  #tell(event: Change): void {
    this.#onChange(event);
    if (this.#isDeaf) return;
    for (const { kind, filter, tell } of this.#followers) if (matches(kind, filter)(event.object)) tell(event);
  }

  #ownedBy({ kind, metadata }: KubernetesObject): KubernetesObject[] {
    const all = [...this.#entries.values()].map(({ object }) => object);
    if (kind === "Namespace") return all.filter((object) => object.metadata.namespace === metadata.name);
    const isOwner = (owner: unknown) => (owner as { uid?: unknown }).uid === metadata.uid;
    return all.filter((object) => object.metadata.ownerReferences?.some(isOwner));
  }

  #stamped(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
    const { uid, creationTimestamp = "2026-01-01T00:00:00Z", generation = 1, resourceVersion } = before?.metadata ?? {};
    const changed = before !== undefined && !same(wantedOf(before), wantedOf(object));
    const stamps = {
      uid: uid ?? `uid-${this.#version}`,
      creationTimestamp,
      generation: generation + (changed ? 1 : 0),
    };
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    return structuredClone({ ...object, metadata: { ...object.metadata, ...stamps, ...version } });
  }

  #versioned(object: KubernetesObject): KubernetesObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }
}

function isEnding({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function endingNow(object: KubernetesObject): KubernetesObject {
  const metadata = { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  return { ...object, metadata, ...(object.kind === "Namespace" ? { status: { phase: "Terminating" } } : {}) };
}

/** What a person wants of an object: all but its metadata and status. A change of it makes a new generation. */
function wantedOf({ metadata: _, status: __, ...rest }: KubernetesObject): object {
  return rest;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** The test of an object for a kind and filter. */
export function matches(kind: ObjectKind, filter: ObjectFilter): (object: KubernetesObject) => boolean {
  const hasLabels = labelSelector(filter.labelSelector);
  return (object) =>
    object.kind === kind.kind &&
    object.apiVersion === kind.apiVersion &&
    (filter.namespace === undefined || object.metadata.namespace === filter.namespace) &&
    hasLabels(object.metadata.labels);
}

function keyOf({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return [apiVersion.replace(/\/[^/]*$/, ""), kind, namespace ?? "", name].join("|");
}
