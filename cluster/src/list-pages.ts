import { NestError } from "@nest/kit";
import type { KubernetesObject, ObjectKind } from "./managed.ts";
import type { ApiRequests } from "./requests.ts";

const PAGE = 500;
/** A page may expire while the next is fetched; a cluster where that happens again and again is told. */
const MOST_STARTS = 3;
const MOST_LIST_BYTES = 256 * 1024 * 1024;

export interface ListCall {
  readonly path: string;
  readonly kind: ObjectKind;
  readonly labelSelector: string | undefined;
  readonly signal: AbortSignal;
  readonly isOnce?: boolean;
}

export interface Listed {
  readonly objects: readonly KubernetesObject[];
  /** Where a watch goes on from. */
  readonly resourceVersion: string;
}

/** Lists objects page by page; starts anew when a page has expired. */
export async function listPages(requests: ApiRequests, call: ListCall): Promise<Listed> {
  for (let start = 1; ; start++) {
    try {
      return await allPages(requests, call);
    } catch (thrown) {
      if (!(thrown instanceof NestError) || thrown.code !== "cluster_gone" || start === MOST_STARTS) throw thrown;
    }
  }
}

async function allPages(requests: ApiRequests, call: ListCall): Promise<Listed> {
  const what = `list of ${call.kind.kind}`;
  const objects: KubernetesObject[] = [];
  let bytes = 0;
  let next = "";
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (call.labelSelector !== undefined) query.set("labelSelector", call.labelSelector);
    if (next !== "") query.set("continue", next);
    const { signal, isOnce = false } = call;
    const page = await requests.send({ method: "GET", path: `${call.path}?${query}`, what, signal, isOnce });
    const { items, metadata } = page.body as { items?: unknown; metadata?: Partial<Record<string, unknown>> };
    if (!Array.isArray(items) || typeof metadata?.resourceVersion !== "string")
      throw new NestError("cluster_failed", `${what}: the answer is no list`);
    for (const item of items) objects.push(objectIn({ ...call.kind, ...(item as object) }, what));
    bytes += page.bytes;
    if (bytes > MOST_LIST_BYTES) throw new NestError("cluster_failed", `${what}: the cluster's answer is too long`);
    next = typeof metadata.continue === "string" ? metadata.continue : "";
    if (next === "") return { objects, resourceVersion: metadata.resourceVersion };
  }
}

/** An object as a cluster sent it, without the book-keeping of who owns which field, which is often the larger part of it. */
export function objectIn(raw: unknown, what: string): KubernetesObject {
  const object = raw as Partial<KubernetesObject> | undefined;
  if (
    typeof object?.apiVersion !== "string" ||
    typeof object.kind !== "string" ||
    typeof object.metadata?.name !== "string"
  )
    throw new NestError("cluster_failed", `${what}: the answer is no object`);
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...(object as KubernetesObject), metadata };
}
