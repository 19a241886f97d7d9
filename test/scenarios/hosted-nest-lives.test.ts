import { clusterOf, type ManagedCluster } from "@nest/cluster";
import { Secret, silentLog, systemClock, systemRandom } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { Clusters, CredentialStore, noStorageExport, Provisioner, RecordStore } from "@nest/provisioner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PodmanHere } from "../harness/contributor-image.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";
import { RealNode, whyNoPods } from "../real-cluster/real-node.ts";

const programs = realClusterFolder();
const impossible = await whyNoPods();
const signal = new AbortController().signal;
const project = {
  org: "acme",
  repos: ["acme/widgets"],
  primary_repo: "acme/widgets",
  project_name: "Widgets",
  acmm_level: 2,
  is_public: true,
};
const token = { auth: { auth_method: "token" }, secrets: { githubToken: new Secret("ghp_of_nobody") }, by: "octo" };

/** Real API server and controllers, real pods, the real image of a nest. */
describe.skipIf(impossible !== undefined)("a hosted nest that lives", () => {
  let folder: FolderHere;
  const closing = new AsyncDisposableStack();
  const clusters = new Map<string, ManagedCluster>();
  let records: RecordStore;
  let hub: Provisioner;
  let podman: PodmanHere | undefined;

  beforeAll(async () => {
    folder = await FolderHere.make("hosted-lives");
    podman = await PodmanHere.make(folder);
    const image = await podman.image("nest-spoke");
    let gateway = "";
    for (const id of ["real", "other"]) {
      const real = closing.use(await RealCluster.start(programs ?? "", { controllers: true }));
      ({ gateway } = closing.use(await RealNode.start(real)));
      clusters.set(id, await clusterOf(await real.kubeconfig()));
    }
    const [clock, random, log] = [systemClock(), systemRandom(), silentLog()];
    records = new RecordStore({ dataFolder: folder.in("data"), clock, log });
    const entry = async (id: string) => {
      const record = { id, in_cluster: true, domain: `${id}.example.org`, ingress: "ingress" } as const;
      return { record, kubeconfig: undefined, pullOnlyBecause: undefined };
    };
    hub = new Provisioner({
      records,
      credentials: new CredentialStore({ records, key: new Secret("k".repeat(64)), random }),
      clusters: new Clusters({ entry, connect: async ({ record }) => on(record.id), hubId: "hub-one", log }),
      clustersFile: { find: entry, list: async () => [] },
      storage: noStorageExport,
      defaults: {
        hub: { id: "hub-one", url: `http://${gateway}:9`, isProxy: true },
        hubSecret: new Secret("shared"),
        image,
      },
      clock,
      random,
      log,
    });
  }, 600_000);
  afterAll(async () => {
    await hub?.close();
    await closing.disposeAsync();
    await podman?.removeImages();
    await folder?.[Symbol.asyncDispose]();
  }, 120_000);

  function on(clusterId: string): ManagedCluster {
    const cluster = clusters.get(clusterId);
    if (cluster === undefined) throw new Error(`no cluster ${clusterId}`);
    return cluster;
  }
  /** Waits until nothing is under way; answers with what went wrong, if anything. */
  async function ended(id: string): Promise<string | undefined> {
    await expect
      .poll(async () => (await records.read(id))?.operation, { timeout: 240_000, interval: 500 })
      .toBeUndefined();
    return (await records.read(id))?.error;
  }
  async function addressOf(id: string): Promise<string> {
    const cluster = on((await records.get(id)).cluster_id);
    const [pod] = await cluster.list({ apiVersion: "v1", kind: "Pod" }, { namespace: namespaceOf(id) }, signal);
    return `http://${(pod?.status as { podIP?: string } | undefined)?.podIP}:3002`;
  }
  async function inPod(id: string, command: readonly string[]): Promise<string> {
    const cluster = on((await records.get(id)).cluster_id);
    const [pod] = await cluster.pods(namespaceOf(id), signal);
    const pieces: Buffer[] = [];
    const container = "nest";
    await cluster.exec({
      namespace: namespaceOf(id),
      pod: pod?.name ?? "",
      container,
      command,
      stdout: (piece) => pieces.push(piece),
      signal,
    });
    return Buffer.concat(pieces).toString("utf8");
  }

  test("a placeholder is claimed: it starts with the project of its owner, and its overlay has it", async () => {
    const { id } = await hub.createPlaceholder("real", "hub");
    expect(await ended(id)).toBeUndefined();
    expect((await records.get(id)).status).toBe("available");
    await hub.claim(id, { owner: "octo", project, ...token });
    expect(await ended(id)).toBeUndefined();
    expect(await inPod(id, ["cat", "/data/nest.yaml.dashboard"])).toContain("org: acme");
    expect(await inPod(id, ["cat", "/etc/nest/nest.yaml"])).toContain("primary_repo: acme/widgets");
  }, 400_000);

  test("it moves to another cluster with its data, proven, and nothing of it stays behind", async () => {
    const { id } = await hub.create({ owner: "octo", clusterId: "real", project, ...token });
    expect(await ended(id)).toBeUndefined();
    await inPod(id, ["mkdir", "-p", "/data/beads/scanner"]);
    await inPod(id, ["cp", "/opt/nest/package.json", "/data/beads/scanner/a name with spaces"]);
    const before = await inPod(id, ["sha256sum", "/data/beads/scanner/a name with spaces"]);
    await hub.migrate(id, "other", "octo");
    expect(await ended(id)).toBeUndefined();
    expect(await records.get(id)).toMatchObject({ cluster_id: "other", status: "running" });
    expect(await inPod(id, ["sha256sum", "/data/beads/scanner/a name with spaces"])).toBe(before);
    expect(before).toMatch(/^[0-9a-f]{64} /);
    expect((await fetch(`${await addressOf(id)}/api/health`)).status).toBe(200);
    const ref = { apiVersion: "v1", kind: "Namespace", name: namespaceOf(id) };
    expect(await on("real").read(ref, signal)).toBeUndefined();
  }, 400_000);
});
