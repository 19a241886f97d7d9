import { clusterOf, type KubernetesObject } from "@nest/cluster";
import { managedContract } from "@nest/cluster/managed-contract";
import { mergePatch } from "@nest/cluster/merge";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeApiServer } from "../fakes/kubernetes/api-server.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";

const runner = { test, equal: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };
const programs = realClusterFolder();

describe.skipIf(programs === undefined)("a real kube-apiserver with its controllers", () => {
  let real: RealCluster;
  let made = 0;
  beforeAll(async () => {
    real = await RealCluster.start(programs ?? "", { controllers: true });
  }, 120_000);
  afterAll(() => real?.[Symbol.asyncDispose]());

  managedContract(runner, async () => {
    made += 1;
    const namespace = `nest-hosted-${made}`;
    await real.addNamespace(namespace);
    return {
      cluster: await clusterOf(await real.kubeconfig()),
      namespace,
      byAnother: async (ref, patch) => {
        const path = `/api/v1/namespaces/${ref.namespace}/configmaps/${ref.name}`;
        const { status, text } = await real.call("PATCH", path, patch, "application/merge-patch+json");
        if (status !== 200) throw new Error(text);
      },
      [Symbol.asyncDispose]: async () => {},
    };
  });
});

describe("the small API server", () => {
  managedContract(runner, async () => {
    const server = await FakeApiServer.start();
    server.addNamespace("nest-hosted-one");
    return {
      cluster: await clusterOf(server.kubeconfig),
      namespace: "nest-hosted-one",
      byAnother: async (ref, patch) => {
        server.objects.put(mergePatch(server.objects.find(ref), patch) as KubernetesObject);
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  });
});
