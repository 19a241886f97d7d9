import { NestError } from "@nest/kit";
import { nameOf, type ObjectKind, type ObjectRef } from "./managed.ts";
import type { ApiRequests } from "./requests.ts";
import { untilAborted } from "./until-aborted.ts";

interface Resource {
  readonly plural: string;
  readonly isNamespaced: boolean;
}

type Resources = ReadonlyMap<string, Resource>;

/** Where a cluster keeps each kind of object, as the cluster itself tells. Asked once a version, and again for an unknown kind. */
export class Discovery {
  readonly #requests: ApiRequests;
  readonly #known = new Map<string, Resources>();
  readonly #asked = new Map<string, Promise<Resources>>();

  constructor(requests: ApiRequests) {
    this.#requests = requests;
  }

  /**
   * The path of a kind, in one namespace or over all.
   *
   * @throws NestError `cluster_absent` when the cluster has no such kind, `cluster_invalid` for a name that is none.
   */
  async pathOf(kind: ObjectKind, namespace: string | undefined, signal: AbortSignal): Promise<string> {
    const { plural, isNamespaced } = await this.#resourceOf(kind, signal);
    const base = baseOf(kind.apiVersion);
    if (namespace === undefined) return `${base}/${plural}`;
    if (!isNamespaced) throw new NestError("cluster_invalid", `${kind.kind}: the kind belongs to no namespace`);
    return `${base}/namespaces/${segment(namespace)}/${plural}`;
  }

  /** The path of one object. */
  async pathOfObject(ref: ObjectRef, signal: AbortSignal): Promise<string> {
    const { isNamespaced } = await this.#resourceOf(ref, signal);
    if (isNamespaced && ref.namespace === undefined)
      throw new NestError("cluster_invalid", `${nameOf(ref)}: the kind needs a namespace`);
    return `${await this.pathOf(ref, ref.namespace, signal)}/${segment(ref.name)}`;
  }

  async #resourceOf({ apiVersion, kind }: ObjectKind, signal: AbortSignal): Promise<Resource> {
    const known = this.#known.get(apiVersion)?.get(kind) ?? (await this.#ask(apiVersion, signal)).get(kind);
    if (known !== undefined) return known;
    throw new NestError("cluster_absent", `the cluster has no kind ${kind} of ${apiVersion}`);
  }

  /** Callers at the same time share one question; each waits no longer than its own signal. */
  async #ask(apiVersion: string, signal: AbortSignal): Promise<Resources> {
    const asked = this.#asked.get(apiVersion);
    if (asked !== undefined) {
      const found = await untilAborted(
        asked.catch(() => undefined),
        signal,
      );
      if (found !== undefined) return found;
    }
    const question = this.#fetch(apiVersion, signal).finally(() => this.#asked.delete(apiVersion));
    this.#asked.set(apiVersion, question);
    const found = await question;
    this.#known.set(apiVersion, found);
    return found;
  }

  async #fetch(apiVersion: string, signal: AbortSignal): Promise<Resources> {
    const what = `kinds of ${apiVersion}`;
    const { body } = await this.#requests.send({ method: "GET", path: baseOf(apiVersion), what, signal });
    const found = new Map<string, Resource>();
    for (const raw of Array.isArray(body.resources) ? body.resources : []) {
      const { name, kind, namespaced } = raw as { name?: unknown; kind?: unknown; namespaced?: unknown };
      if (typeof name !== "string" || typeof kind !== "string" || !/^[a-z0-9.-]+$/.test(name)) continue;
      found.set(kind, { plural: name, isNamespaced: namespaced === true });
    }
    return found;
  }
}

function baseOf(apiVersion: string): string {
  if (!/^([a-z0-9][a-z0-9.-]*\/)?v[a-z0-9]+$/.test(apiVersion))
    throw new NestError("cluster_invalid", `"${apiVersion.slice(0, 100)}" is no API version`);
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** A name as one part of a path. API servers take no name with these signs, and a URL would make other paths of them. */
export function segment(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/%]/.test(name))
    throw new NestError("cluster_invalid", `"${name.slice(0, 100)}" is no name of an object`);
  return encodeURIComponent(name);
}
