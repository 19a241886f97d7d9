import { clusterOf, type ManagedCluster } from "@nest/cluster";
import { desiredObjects } from "@nest/provisioner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manifests, writtenManifests } from "../../scripts/manifests.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";
import { helm, type Rendered, realHelm, rendered } from "../real-helm/real-helm.ts";

const program = realHelm();
const folder = realClusterFolder();
// No end of its own: the time of one test is what the runner allows, and a clock that starts
// with the file would run out during the tests when a server before them starts slowly.
const { signal } = new AbortController();
const all = ["backup.enabled=true", "nests.scc=anyuid"];

describe.skipIf(program === undefined)("the hub's chart", () => {
  const helmHere = program ?? "";

  test("passes Helm's own lint", async () => {
    expect(await helm(helmHere, "lint", "--strict")).toContain("0 chart(s) failed");
  });

  test("is what the plain manifests are made of", async () => {
    expect(await writtenManifests()).toBe(await manifests(helmHere));
  });

  test.each([
    ["replicas=2", /PostgreSQL/],
    ["config.github.token=ghp_secret", /token/],
    ["publicUrl=nest.example.org", /publicUrl/],
    ["replicas=many", /replicas/],
    ["imgae.tag=1", /imgae/],
  ])("refuses %s, and says why", async (value, because) => {
    await expect(rendered(helmHere, value)).rejects.toThrow(because);
  });

  test("two replicas share PostgreSQL and are replaced one by one; one hub on SQLite is never doubled", async () => {
    const strategyOf = async (...values: string[]) =>
      deploymentIn(await rendered(helmHere, ...values)).spec.strategy.type;
    expect(await strategyOf("replicas=2", "database.shared=true")).toBe("RollingUpdate");
    expect(await strategyOf()).toBe("Recreate");
  });

  test("no secret is in a value, a ConfigMap or an argument: each comes out of the Secret by name", async () => {
    const objects = await rendered(helmHere, "database.shared=true", ...all);
    expect(objects.some(({ kind }) => kind === "Secret")).toBe(false);
    const { env } = deploymentIn(objects).spec.template.spec.containers[0];
    const secret = /SECRET|TOKEN|DATABASE/;
    for (const { name, value } of env) if (secret.test(name)) expect(value, name).toBeUndefined();
  });

  test("the hub may not list what it needs by name only, nor change roles of the whole cluster", async () => {
    const roles = (await rendered(helmHere, ...all)).filter(
      ({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "nest-hub-nests",
    );
    const verbs = new Map<string, string[]>();
    for (const { resources, verbs: allowed } of roles.flatMap(({ rules }) => rules))
      for (const resource of resources) verbs.set(resource, allowed);
    expect(JSON.stringify(roles)).not.toContain("*");
    expect(verbs.get("clusterroles")).toEqual(["bind"]);
    expect(verbs.get("pods/exec")).toEqual(["get", "create"]);
    for (const never of ["clusterrolebindings", "nodes", "configmaps/status"]) expect(verbs.has(never)).toBe(false);
  });

  test("with Routes there is a Route and no Ingress", async () => {
    const kinds = (await rendered(helmHere, "ingress.kind=route")).map(({ kind }) => kind);
    expect([kinds.includes("Route"), kinds.includes("Ingress")]).toEqual([true, false]);
  });

  describe.skipIf(folder === undefined)("on a real API server", () => {
    let real: RealCluster;
    let cluster: ManagedCluster;

    beforeAll(async () => {
      real = await RealCluster.start(folder ?? "");
      cluster = await clusterOf(await real.kubeconfig());
      const metadata = { name: "nest-hub", labels: { "pod-security.kubernetes.io/enforce": "restricted" } };
      await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata }, { signal });
      for (const object of await rendered(helmHere, ...all)) await cluster.apply(object, { signal });
    }, 120_000);

    afterAll(() => real?.[Symbol.asyncDispose]());

    test("its pods keep to the pod security standard restricted", async () => {
      const { spec } = deploymentIn(await rendered(helmHere)).spec.template;
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "try", namespace: "nest-hub" }, spec };
      await expect(cluster.apply(pod, { signal, dryRun: true })).resolves.toMatchObject({ kind: "Pod" });
      const root = { ...pod, spec: { ...spec, securityContext: { runAsUser: 0 } } };
      await expect(cluster.apply(root, { signal, dryRun: true })).rejects.toThrow(/restricted/);
    });

    test("the hub's own account can make every object of a nest, with the rights that the chart gives it", async () => {
      const asHub = await clusterOf(await real.kubeconfig(await real.tokenOf("nest-hub", "nest-hub")));
      for (const object of desiredObjects(aSpec, {})) await asHub.apply(object, { signal });
      const secrets = { apiVersion: "v1", kind: "Secret", metadata: { name: "mine", namespace: "nest-hub" } };
      // Its verbs on Secrets hold everywhere, as those of any account that makes Secrets in namespaces of its own making do.
      await asHub.apply(secrets, { signal, dryRun: true });
      const binding = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "mine" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: "nest-hub", namespace: "nest-hub" }],
      };
      await expect(asHub.apply(binding, { signal })).rejects.toMatchObject({ code: "cluster_forbidden" });
    });
  });
});

const aSpec = {
  id: "hosted-acme-shop-ab12",
  owner: "ada",
  cluster: { id: "own", in_cluster: true, domain: "nests.example.org", ingress: "ingress" as const },
  project: {
    org: "acme",
    repos: ["acme/shop"],
    primaryRepo: "acme/shop",
    name: "The shop",
    level: 2,
    isPublic: true,
  },
  auth: { kind: "token" as const },
  image: "localhost/nest-spoke:latest",
  replicas: 1,
  hub: { id: "nest-hub", url: "https://nest.example.org", isProxy: true },
};

function deploymentIn(objects: readonly Rendered[]): Rendered {
  const found = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "nest-hub");
  if (found === undefined) throw new Error("the chart renders no Deployment");
  return found;
}
