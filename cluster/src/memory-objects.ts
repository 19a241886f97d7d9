import { labelSelector } from "./label-selector.ts";
import type { KubernetesObject, ObjectFilter, ObjectKind, ObjectRef, WatchEvent } from "./managed.ts";
import { refOf } from "./managed.ts";

type Change = Extract<WatchEvent, { readonly object: KubernetesObject }>;

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

/** The objects of a cluster in memory, with versions, cascades and watches. */
export class MemoryObjects {
  readonly #entries = new Map<string, Entry>();
  readonly #followers = new Set<Follower>();
  #version = 1;
  #isDeaf = false;

  find(ref: ObjectRef): Entry | undefined {
    return this.#entries.get(keyOf(ref));
  }

  list(kind: ObjectKind, filter: ObjectFilter): readonly KubernetesObject[] {
    const isWanted = wanted(kind, filter);
    return [...this.#entries.values()].map(({ object }) => object).filter(isWanted);
  }

  /** Keeps an object, with a new version unless nothing changed; answers with it as it is kept. */
  put(object: KubernetesObject, applied?: object): KubernetesObject {
    const key = keyOf(refOf(object));
    const before = this.#entries.get(key);
    const kept = this.#stamped(object, before?.object);
    const isSame = before !== undefined && same(before.object, kept);
    if (isSame) {
      before.applied = applied ?? before.applied;
      return before.object;
    }
    const versioned = this.#versioned(kept);
    this.#entries.set(key, { object: versioned, applied: applied ?? before?.applied });
    this.#tell({ type: before === undefined ? "added" : "modified", object: versioned });
    return versioned;
  }

  /** Takes an object away, with what it owns and, for a namespace, all that is in it. */
  remove(ref: ObjectRef): boolean {
    const entry = this.#entries.get(keyOf(ref));
    if (entry === undefined) return false;
    this.#entries.delete(keyOf(ref));
    for (const owned of this.#ownedBy(entry.object)) this.remove(refOf(owned));
    this.#tell({ type: "deleted", object: this.#versioned(entry.object) });
    return true;
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
    if (this.#isDeaf) return;
    for (const { kind, filter, tell } of this.#followers) if (wanted(kind, filter)(event.object)) tell(event);
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

function wanted(kind: ObjectKind, filter: ObjectFilter): (object: KubernetesObject) => boolean {
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
