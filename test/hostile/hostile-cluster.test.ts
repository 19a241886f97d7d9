import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clusterOf, type ManagedCluster, type ObjectRef } from "@nest/cluster";
import { expect, test } from "vitest";
import { FakeApiServer, type Fault } from "../fakes/kubernetes/api-server.ts";

/** An API server that is not what it says, or objects' names that lead elsewhere. */

const soon = () => AbortSignal.timeout(20_000);
const SECRET: ObjectRef = { apiVersion: "v1", kind: "Secret", namespace: "nest-hosted-one", name: "s" };

async function scene() {
  const server = await FakeApiServer.start();
  server.addNamespace("nest-hosted-one");
  const cluster = await clusterOf(server.kubeconfig);
  return { server, cluster, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a redirect to another server is not followed: the credentials stay with the one they are for", async () => {
  await using at = await scene();
  const heard: unknown[] = [];
  const thief = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end("{}");
  });
  await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
  try {
    const location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
    for (const status of [301, 302, 307, 308]) {
      // The answer would do as one, were it not a redirect.
      at.server.fail("GET /version", { status, headers: { location }, body: '{"gitVersion":"v1.36.3"}' });
      await expect(at.cluster.version(soon())).rejects.toMatchObject({ code: "cluster_failed" });
    }
    at.server.fail("GET /api/v1/configmaps", { status: 307, headers: { location } });
    const stop = new AbortController();
    const onFault = () => stop.abort();
    await at.cluster.watch({ apiVersion: "v1", kind: "ConfigMap" }, {}, { signal: stop.signal, onEvent() {}, onFault });
    expect(heard).toEqual([]);
  } finally {
    await new Promise((resolve) => thief.close(resolve));
  }
});

test.each<[string, Fault]>([
  ["a page for people", { status: 200, body: "<html>Sign in</html>" }],
  ["a list where an object belongs", { status: 200, body: "[]" }],
  ["nothing", { status: 200, body: "" }],
  ["null", { status: 200, body: "null" }],
  ["an object without a name", { status: 200, body: '{"apiVersion":"v1","kind":"Secret","metadata":{}}' }],
  ["an answer without an end", "endless"],
])("%s in place of an object is a failure, not an object", async (_, fault) => {
  await using at = await scene();
  at.server.fail("GET /api/v1/namespaces/nest-hosted-one/secrets/s", fault);
  await expect(at.cluster.read(SECRET, soon())).rejects.toMatchObject({ code: "cluster_failed" });
});

test.each<[string, Fault]>([
  ["items that are no list", { status: 200, body: '{"metadata":{"resourceVersion":"1"},"items":{}}' }],
  ["a list without a version", { status: 200, body: '{"metadata":{},"items":[]}' }],
  ["items that are no objects", { status: 200, body: '{"metadata":{"resourceVersion":"1"},"items":[7]}' }],
])("%s is no list", async (_, fault) => {
  await using at = await scene();
  at.server.fail("GET /api/v1/secrets", fault);
  const listing = at.cluster.list({ apiVersion: "v1", kind: "Secret" }, {}, soon());
  await expect(listing).rejects.toMatchObject({ code: "cluster_failed" });
});

test("a list that never ends is given up", async () => {
  await using at = await scene();
  const item = { metadata: { name: "s", namespace: "nest-hosted-one" }, data: { a: "x".repeat(20_000_000) } };
  const body = JSON.stringify({ metadata: { resourceVersion: "1", continue: "more" }, items: [item] });
  at.server.fail("GET /api/v1/secrets", { status: 200, body }, 99);
  const listing = at.cluster.list({ apiVersion: "v1", kind: "Secret" }, {}, soon());
  await expect(listing).rejects.toThrow("too long");
});

const calls: readonly [string, (cluster: ManagedCluster, ref: ObjectRef) => Promise<unknown>][] = [
  ["read", (cluster, ref) => cluster.read(ref, soon())],
  ["delete", (cluster, ref) => cluster.delete(ref, { signal: soon() })],
  ["patch", (cluster, ref) => cluster.patch(ref, {}, soon())],
  ["scale", (cluster, ref) => cluster.scale(ref, 1, soon())],
  [
    "apply",
    (cluster, { name, namespace = "", ...kind }) =>
      cluster.apply({ ...kind, metadata: { name, namespace } }, { signal: soon() }),
  ],
  ["secret", (cluster, { name, namespace = "" }) => cluster.secret(namespace, name, soon())],
];
const names = ["..", ".", "", "a/../../../namespaces/kube-system", "%2e%2e"];

test.each(calls.flatMap(([call, act]) => names.map((name) => [call, name, act] as const)))(
  '%s of the name "%s" is refused before a path is made of it',
  async (_, name, act) => {
    await using at = await scene();
    await expect(act(at.cluster, { ...SECRET, name })).rejects.toMatchObject({ code: "cluster_invalid" });
    await expect(act(at.cluster, { ...SECRET, namespace: name })).rejects.toMatchObject({ code: "cluster_invalid" });
    expect(at.server.calls.filter((line) => line !== "GET /api/v1")).toEqual([]);
  },
);

test("an API version that leads elsewhere is none", async () => {
  await using at = await scene();
  for (const apiVersion of ["../api/v1", "v1?x", "apps/v1/../../..", "V1", ""])
    await expect(at.cluster.read({ ...SECRET, apiVersion }, soon())).rejects.toMatchObject({ code: "cluster_invalid" });
  expect(at.server.calls).toEqual([]);
});

test("a kind whose resource name leads elsewhere is not known", async () => {
  await using at = await scene();
  const resources = [{ name: "../../secrets", kind: "Secret", namespaced: true }];
  at.server.fail("GET /api/v1", { status: 200, body: JSON.stringify({ resources }) });
  await expect(at.cluster.read(SECRET, soon())).rejects.toMatchObject({ code: "cluster_absent" });
});
