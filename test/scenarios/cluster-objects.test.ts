import { clusterOf } from "@nest/cluster";
import { managedContract } from "@nest/cluster/managed-contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
