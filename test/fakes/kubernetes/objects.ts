import type { IncomingMessage, ServerResponse } from "node:http";
import type { KubernetesObject, ObjectRef } from "@nest/cluster";
import { type MemoryObjects, matches } from "@nest/cluster/memory-objects";
import { mergePatch } from "@nest/cluster/merge";
import type { Place } from "./kinds.ts";
import type { Watches } from "./watches.ts";

export interface Reply {
  readonly code: number;
  readonly body: object;
}

/** A refusal as API servers write it. */
export function refusal(code: number, message = `status ${code}`): Reply {
  return { code, body: { apiVersion: "v1", kind: "Status", status: "Failure", code, message, metadata: {} } };
}

interface Call {
  readonly method: string;
  readonly place: Place;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** Answers calls about objects, as far as the contract asks. A watch is answered by {@link serveWatch}. */
export function answerOf(objects: MemoryObjects, call: Call): Reply {
  const { place, method } = call;
  if (place.name === undefined)
    return method === "GET" ? page(objects, place, call.query) : refusal(405, "the method is not allowed");
  const { apiVersion, kind } = place.served;
  const inside = place.namespace === undefined ? {} : { namespace: place.namespace };
  const ref = { apiVersion, kind, name: place.name, ...inside };
  const found = objects.find(ref);
  if (method === "PATCH" && call.query.has("force")) return applied(objects, ref, call);
  if (found === undefined) return refusal(404, `${place.served.plural} "${ref.name}" not found`);
  if (method === "GET") return { code: 200, body: found };
  if (method === "PATCH") return patched(objects, found, call);
  if (method !== "DELETE") return refusal(405, "the method is not allowed");
  if (kind === "Namespace" && found.metadata.deletionTimestamp !== undefined)
    return refusal(409, "the system is ensuring all content is removed from this namespace");
  objects.remove(ref);
  return { code: 200, body: { kind: "Status", apiVersion: "v1", status: "Success" } };
}

export function serveWatch(watches: Watches, place: Place, query: URLSearchParams, response: ServerResponse): void {
  watches.serve(response, Number(query.get("resourceVersion")), matches(place.served, filterOf(place, query)));
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function filterOf(place: Place, query: URLSearchParams) {
  const labelSelector = query.get("labelSelector") ?? "";
  return { labelSelector, ...(place.namespace === undefined ? {} : { namespace: place.namespace }) };
}

/** A page of a list: its items have no kind of their own, as on the real server. */
function page(objects: MemoryObjects, place: Place, query: URLSearchParams): Reply {
  const all = objects.list(place.served, filterOf(place, query));
  const limit = Number(query.get("limit") ?? all.length);
  const from = Number(query.get("continue") ?? 0);
  const items = all.slice(from, from + limit).map(({ apiVersion: _, kind: __, ...item }) => item);
  const next = from + limit < all.length ? { continue: String(from + limit) } : {};
  const metadata = { resourceVersion: objects.version, ...next };
  return {
    code: 200,
    body: { apiVersion: place.served.apiVersion, kind: `${place.served.kind}List`, metadata, items },
  };
}

function applied(objects: MemoryObjects, ref: ObjectRef, { query, body }: Call): Reply {
  if (!query.has("fieldManager")) return refusal(400, "PatchOptions: fieldManager: Required value");
  if (!/^[a-z0-9:]([-a-z0-9.:]*[a-z0-9])?$/.test(ref.name))
    return refusal(422, `metadata.name: Invalid value: "${ref.name}"`);
  if (ref.namespace !== undefined) {
    const home = objects.find({ apiVersion: "v1", kind: "Namespace", name: ref.namespace });
    if (home === undefined) return refusal(404, `namespaces "${ref.namespace}" not found`);
    if (home.metadata.deletionTimestamp !== undefined)
      return refusal(403, `unable to create new content in namespace ${ref.namespace} because it is being terminated`);
  }
  return { code: 200, body: objects.apply(JSON.parse(body) as KubernetesObject, query.get("dryRun") === "All") };
}

function patched(objects: MemoryObjects, found: KubernetesObject, { place, body }: Call): Reply {
  const now = objects.put(mergePatch(found, JSON.parse(body)) as KubernetesObject);
  if (place.subresource !== "scale") return { code: 200, body: now };
  const { name, namespace } = now.metadata;
  const { replicas } = now.spec as { replicas?: number };
  const metadata = { name, namespace };
  return { code: 200, body: { kind: "Scale", apiVersion: "autoscaling/v1", metadata, spec: { replicas } } };
}
