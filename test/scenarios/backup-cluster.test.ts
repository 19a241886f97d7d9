import { clusterOf } from "@nest/cluster";
import { clusterContract, type Script } from "@nest/cluster/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeApiServer } from "../fakes/kubernetes/api-server.ts";
import type { ContainerRun } from "../fakes/kubernetes/exec-socket.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";

const runner = { test, equal: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };

/** The contract's script as what a container does. */
function playing(script: Script): (run: ContainerRun) => void {
  return (run) => {
    for (const piece of script.stdout) run.stdout(piece);
    if (script.stderr !== undefined) run.stderr(script.stderr);
    if (script.ends === "cut") run.cut();
    else if (script.ends !== "hang") run.exit(script.ends);
  };
}

describe("against the small API server", () => {
  clusterContract(runner, async () => {
    const server = await FakeApiServer.start();
    return {
      cluster: await clusterOf(server.kubeconfig),
      addSecret: async (namespace, name, data) => server.addSecret(namespace, name, data),
      addPod: async (namespace, name, phase, script) => server.addPod(namespace, name, phase, playing(script)),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  });

  test("forbidden is told from absent", async () => {
    await using server = await FakeApiServer.start();
    server.forbid("/api/v1/namespaces/nest-hub/secrets/nest-hub-tls");
    const cluster = await clusterOf(server.kubeconfig);
    const reading = cluster.secret("nest-hub", "nest-hub-tls", AbortSignal.timeout(5000));
    await expect(reading).rejects.toMatchObject({ code: "cluster_forbidden" });
  });

  test("the program's words arrive as they were given, no shell in between", async () => {
    await using server = await FakeApiServer.start();
    let heard: readonly string[] = [];
    server.addPod("nest-hosted-a", "p", "Running", (run) => {
      heard = run.command;
      run.exit(0);
    });
    const cluster = await clusterOf(server.kubeconfig);
    const command = ["/bin/sh", "-c", "echo \"$1\" '&' ü", "x y"];
    const signal = AbortSignal.timeout(5000);
    await cluster.exec({ namespace: "nest-hosted-a", pod: "p", container: "nest", command, stdout: () => {}, signal });
    expect(heard).toEqual(command);
  });

  test("a kubeconfig that is not there, is none, or lacks the context is named", async () => {
    await using server = await FakeApiServer.start();
    await expect(clusterOf("/no/such/file")).rejects.toMatchObject({ code: "kubeconfig_unusable" });
    await expect(clusterOf("/etc/passwd")).rejects.toMatchObject({ code: "kubeconfig_unusable" });
    await expect(clusterOf(server.kubeconfig, "other")).rejects.toThrow('no usable context "other"');
  });

  test("a cluster that does not answer is unreachable", async () => {
    const server = await FakeApiServer.start();
    const cluster = await clusterOf(server.kubeconfig);
    await server[Symbol.asyncDispose]();
    const listing = cluster.pods("nest-hosted-a", AbortSignal.timeout(5000));
    await expect(listing).rejects.toMatchObject({ code: "cluster_unreachable" });
  });
});

const programs = realClusterFolder();

describe.skipIf(programs === undefined)("against a real kube-apiserver", () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await RealCluster.start(programs ?? "");
    await real.addNamespace("nest-hub");
    await allowOnlyCreate(real);
  }, 120_000);
  afterAll(() => real?.[Symbol.asyncDispose]());

  /** The server keeps what an earlier test made, so each one gets a clean slate. */
  async function under(kubeconfig: Promise<string>) {
    const namespaces = ["nest-hub", "nest-hosted-one"];
    for (const name of namespaces) await real.addNamespace(name);
    for (const name of namespaces) await real.call("DELETE", `/api/v1/namespaces/${name}/pods?gracePeriodSeconds=0`);
    return {
      cluster: await clusterOf(await kubeconfig),
      addSecret: (namespace: string, name: string, data: Readonly<Record<string, string>>) =>
        real.create(`/api/v1/namespaces/${namespace}/secrets`, {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name },
          data,
        }),
      addPod: (namespace: string, name: string, phase: string, script: Script) =>
        real.addPod(namespace, name, phase, playing(script)),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  describe("as its administrator, over WebSocket", () => clusterContract(runner, () => under(real.kubeconfig())));

  describe("with create as the only verb on pods/exec, over the older streams", () => {
    clusterContract(runner, async () => under(real.kubeconfig(await real.tokenOf("nest-hub", "reader"))));
  });
});

/** An account that may read Secrets and pods, and exec with `create` alone, as the spec's cluster role has it. */
async function allowOnlyCreate(real: RealCluster): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: "reader" };
  const rules = [
    { apiGroups: [""], resources: ["secrets", "pods"], verbs: ["get", "list"] },
    { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] },
  ];
  const account = { kind: "ServiceAccount", name: "reader", namespace: "nest-hub" };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" };
  const version = "rbac.authorization.k8s.io/v1";
  await real.create("/api/v1/namespaces/nest-hub/serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata,
  });
  await real.create(`${rbac}/clusterroles`, { apiVersion: version, kind: "ClusterRole", metadata, rules });
  const binding = { apiVersion: version, kind: "ClusterRoleBinding", metadata, roleRef, subjects: [account] };
  await real.create(`${rbac}/clusterrolebindings`, binding);
}
