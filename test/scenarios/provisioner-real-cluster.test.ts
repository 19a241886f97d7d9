import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterOf, type ManagedCluster } from "@nest/cluster";
import { Secret, silentLog, systemClock, systemRandom } from "@nest/kit";
import { type HostedNestRecord, namespaceOf } from "@nest/protocol";
import { Clusters, CredentialStore, noStorageExport, Provisioner, RecordStore } from "@nest/provisioner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";

const programs = realClusterFolder();
const signal = new AbortController().signal;
const OBJECTS = 10;

/** A real API server with its controllers; the test plays the node, which marks pods as running, and the storage. */
describe.skipIf(programs === undefined)("hosted nests on a real kube-apiserver", () => {
  let real: RealCluster;
  let cluster: ManagedCluster;
  let folder: string;
  let hub: Provisioner;
  let records: RecordStore;

  beforeAll(async () => {
    real = await RealCluster.start(programs ?? "", { controllers: true });
    cluster = await clusterOf(await real.kubeconfig());
    folder = await mkdtemp(join(tmpdir(), "nest-provisioner-real-"));
    const [clock, random, log] = [systemClock(), systemRandom(), silentLog()];
    records = new RecordStore({ dataFolder: folder, clock, log });
    const record = {
      id: "real",
      in_cluster: true,
      domain: "nests.example.org",
      ingress: "ingress",
      storage_class: "shared",
    } as const;
    const entry = async () => ({ record, kubeconfig: undefined, pullOnlyBecause: undefined });
    hub = new Provisioner({
      records,
      credentials: new CredentialStore({ records, key: new Secret("k".repeat(64)), random }),
      clusters: new Clusters({ entry, connect: async () => cluster, hubId: "hub-one", log }),
      clustersFile: { find: entry, list: async () => [] },
      storage: noStorageExport,
      defaults: {
        hub: { id: "hub-one", url: "https://hub.example.org", isProxy: true },
        hubSecret: new Secret("the-secret-of-all-heartbeats"),
        image: "registry.example.org/nest-spoke:1",
      },
      clock,
      random,
      log,
      mostAtOnce: 4,
    });
  }, 120_000);
  afterAll(async () => {
    await hub?.close();
    await real?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const create = () =>
    hub.create({
      owner: "octo",
      clusterId: "real",
      project: {
        org: "acme",
        repos: ["acme/widgets"],
        primary_repo: "acme/widgets",
        project_name: "Widgets",
        acmm_level: 2,
        is_public: true,
      },
      auth: { auth_method: "app", app_id: "123", installation_id: "456" },
      secrets: { appKey: new Secret("KEY") },
      by: "octo",
    });
  const untilStep = (id: string, name: string) =>
    expect.poll(async () => (await records.get(id)).steps.find((step) => step.name === name)?.state, {
      timeout: 60_000,
    });
  const end = (id: string) => expect.poll(async () => (await records.get(id)).operation, { timeout: 60_000 });

  /** The claim is bound and the pod runs, as a storage class and a node would have it. */
  async function bringUp(id: string): Promise<void> {
    const namespace = namespaceOf(id);
    const api = `/api/v1/namespaces/${namespace}`;
    const merge = "application/merge-patch+json";
    await real.create("/api/v1/persistentvolumes", {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `pv-${id}` },
      spec: {
        accessModes: ["ReadWriteMany"],
        capacity: { storage: "50Gi" },
        storageClassName: "shared",
        claimRef: { namespace, name: "nest-data", apiVersion: "v1", kind: "PersistentVolumeClaim" },
        hostPath: { path: "/nowhere" },
      },
    });
    const pods = async () =>
      JSON.parse((await real.call("GET", `${api}/pods`)).text).items as {
        metadata: { name: string };
        spec: { nodeName?: string };
      }[];
    await expect.poll(async () => (await pods())[0]?.spec.nodeName, { timeout: 60_000 }).toBe("this-machine");
    const now = new Date().toISOString();
    for (const { metadata } of await pods()) {
      const status = {
        phase: "Running",
        conditions: [
          { type: "Ready", status: "True", lastTransitionTime: now },
          { type: "ContainersReady", status: "True", lastTransitionTime: now },
        ],
        containerStatuses: [
          {
            name: "nest",
            ready: true,
            restartCount: 0,
            image: "x",
            imageID: "x",
            state: { running: { startedAt: now } },
          },
        ],
      };
      const { status: code, text } = await real.call("PATCH", `${api}/pods/${metadata.name}/status`, { status }, merge);
      if (code !== 200) throw new Error(text);
    }
  }

  test("a nest comes, has no drift, is paused and goes, and the server takes every object as it is", async () => {
    const { id } = await create();
    await untilStep(id, "deployment").toBe("done");
    await bringUp(id);
    await end(id).toBeUndefined();
    expect(await records.get(id)).toMatchObject({ status: "running" });
    expect(await hub.driftOf(id, signal)).toEqual([]);
    await hub.pause(id, "octo");
    // No node runs here that would end the pod.
    await expect
      .poll(
        async () => {
          const { items } = JSON.parse((await real.call("GET", `/api/v1/namespaces/${namespaceOf(id)}/pods`)).text);
          for (const { metadata } of items)
            if (metadata.deletionTimestamp)
              await real.call(
                "DELETE",
                `/api/v1/namespaces/${namespaceOf(id)}/pods/${metadata.name}?gracePeriodSeconds=0`,
              );
          return (await records.get(id)).status;
        },
        { timeout: 60_000 },
      )
      .toBe("paused");
    await hub.deprovision(id, "octo");
    await expect.poll(() => records.read(id), { timeout: 60_000 }).toBeUndefined();
    expect((await real.call("GET", `/api/v1/namespaces/${namespaceOf(id)}`)).status).toBe(404);
  }, 180_000);

  test(`${OBJECTS} at once: every object of each is applied`, async () => {
    const made: HostedNestRecord[] = await Promise.all(Array.from({ length: OBJECTS }, create));
    // Each holds its place in the line until its pod is ready.
    await Promise.all(
      made.map(async ({ id }) => {
        await untilStep(id, "deployment").toBe("done");
        await bringUp(id);
      }),
    );
    for (const { id } of made) await end(id).toBeUndefined();
    expect((await records.list()).map(({ status }) => status)).toEqual(Array(OBJECTS).fill("running"));
  }, 240_000);
});
