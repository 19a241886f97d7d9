import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { clusterOf, ownCluster } from "@nest/cluster";
import { clusterContract, type Script } from "@nest/cluster/contract";
import type { ContainerRun } from "@nest/local-cluster";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { FakeApiServer } from "../fakes/kubernetes/api-server.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";

const runner = { test, equal: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };

/** The contract's script as what a container does. */
function playing(script: Script): (run: ContainerRun) => Promise<void> {
  return async (run) => {
    if (script.ends === "echo") {
      for await (const piece of run.stdin) run.stdout(piece);
      return run.exit(0);
    }
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

describe("in a pod", () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  test("without a mounted service account it is told what is missing", () => {
    expect(() => ownCluster("/no/such/root")).toThrow(
      "the pod's service account is not mounted: /no/such/root/var/run",
    );
  });

  test.skipIf(programs === undefined)(
    "the service account's token and authority open the cluster, and no more than its roles",
    async () => {
      await using real = await RealCluster.start(programs ?? "");
      for (const name of ["nest-hub", "nest-hosted-one"]) await real.addNamespace(name);
      await allowOnlyCreate(real);
      const stranger = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "stranger" } };
      await real.create("/api/v1/namespaces/nest-hub/serviceaccounts", stranger);
      const secret = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "nest-hub-secrets" },
        data: { value: "eA==" },
      };
      await real.create("/api/v1/namespaces/nest-hub/secrets", secret);
      await real.addPod("nest-hosted-one", "nest-0", "Running", (run) => {
        run.stdout("hello");
        run.exit(0);
      });
      const soon = AbortSignal.timeout(20_000);
      for (const [name, outcome] of [
        ["reader", "ok"],
        ["stranger", "cluster_forbidden"],
      ] as const) {
        const pod = await real.podOf("nest-hub", name);
        Object.assign(process.env, pod.environment);
        const cluster = ownCluster(pod.root);
        const reading = cluster.secret("nest-hub", "nest-hub-secrets", soon);
        expect(
          await reading.then(
            () => "ok",
            (thrown) => thrown.code,
          ),
        ).toBe(outcome);
        if (outcome !== "ok") continue;
        const request = { namespace: "nest-hosted-one", pod: "nest-0", container: "nest", command: ["true"] };
        expect(await cluster.exec({ ...request, stdout: () => {}, signal: soon })).toMatchObject({ exitCode: 0 });
      }
      // The authority is what is believed, not whoever answers.
      const pod = await real.podOf("nest-hub", "reader");
      await writeFile(join(pod.root, "var/run/secrets/kubernetes.io/serviceaccount/ca.crt"), ANOTHER_AUTHORITY);
      const reading = ownCluster(pod.root).secret("nest-hub", "nest-hub-secrets", soon);
      await expect(reading).rejects.toMatchObject({ code: "cluster_unreachable" });
    },
    120_000,
  );
});

/** A certificate of nobody's. */
const ANOTHER_AUTHORITY = rootCertificates[0] ?? "";

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
