import { NestError } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { clusterContract } from "./cluster.contract.ts";
import { managedContract } from "./managed.contract.ts";
import type { KubernetesObject } from "./managed.ts";
import { MemoryCluster } from "./memory.ts";
import { mergePatch } from "./merge.ts";

describe("the memory cluster", () => {
  clusterContract({ test, equal: (actual, expected) => expect(actual).toEqual(expected) }, async () => {
    const cluster = new MemoryCluster();
    return {
      cluster,
      addSecret: async (namespace, name, data) => cluster.addSecret(namespace, name, data),
      addPod: async (namespace, name, phase, script) =>
        cluster.addPod(namespace, { name, phase }, async (request) => {
          for (const piece of script.stdout) request.stdout(Buffer.from(piece));
          if (script.ends === "echo") {
            for await (const piece of request.stdin ?? []) request.stdout(Buffer.from(piece));
            return { exitCode: 0, stderr: "" };
          }
          if (script.ends === "hang") return new Promise<never>(() => {});
          if (script.ends === "cut") throw new NestError("cluster_failed", "the stream broke off");
          return { exitCode: script.ends, stderr: script.stderr ?? "" };
        }),
      [Symbol.asyncDispose]: async () => {},
    };
  });

  managedContract({ test, equal: (actual, expected) => expect(actual).toEqual(expected) }, async () => {
    const cluster = new MemoryCluster();
    const namespace = "nest-hosted-one";
    const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await cluster.apply(home, { signal: AbortSignal.timeout(1000) });
    return {
      cluster,
      namespace,
      byAnother: async (ref, patch) => {
        const there = await cluster.read(ref, AbortSignal.timeout(1000));
        cluster.put(mergePatch(there, patch) as KubernetesObject);
      },
      [Symbol.asyncDispose]: async () => {},
    };
  });
});
