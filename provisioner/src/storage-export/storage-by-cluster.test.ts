import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aRequest, Scene } from "../testing/scene.ts";
import type { PrefixRequest } from "./prefix-export.ts";
import { storageByCluster } from "./storage-by-cluster.ts";

const signal = new AbortController().signal;
let scene: Scene;
let share: string;
beforeEach(async () => {
  scene = await Scene.make();
  share = await mkdtemp(join(tmpdir(), "nest-share-"));
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  await rm(share, { recursive: true, force: true });
});

function withStorage(storage: object): void {
  scene.entries = scene.entries.map((entry) => (entry.id === "east" ? { ...entry, ...storage } : entry));
}

test("without a storage type the storage class does it all, and the record has empty ids", async () => {
  const hub = scene.hub({ storage: storageByCluster() });
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  expect(await scene.records.get(id)).toMatchObject({ objstore_file_system_id: "", objstore_export_id: "" });
});

test("a file server's export: a folder and a volume of its own, ids in the record, gone after the namespace", async () => {
  withStorage({ storage_type: "nfs", nfs_mount_ip: "10.1.2.3", nfs_path: "/exports", nfs_local_path: share });
  const hub = scene.hub({ storage: storageByCluster() });
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  expect(await scene.records.get(id)).toMatchObject({
    status: "running",
    objstore_file_system_id: "nfs:10.1.2.3",
    objstore_export_id: `/exports/${id}`,
  });
  expect(await readdir(share)).toEqual([id]);
  const ref = { apiVersion: "v1", kind: "PersistentVolume", name: `nest-${id}-data` };
  const volume = await scene.east.read(ref, signal);
  expect(volume?.spec).toMatchObject({
    nfs: { server: "10.1.2.3", path: `/exports/${id}` },
    persistentVolumeReclaimPolicy: "Retain",
    claimRef: { namespace: namespaceOf(id), name: "nest-data" },
  });
  scene.east.stick(namespaceOf(id));
  await hub.deprovision(id, "octo");
  await scene.until(async () =>
    (await scene.records.get(id)).steps.some(({ name, state }) => name === "namespace-gone" && state === "running"),
  );
  expect(await readdir(share)).toEqual([id]);
  scene.east.unstick(namespaceOf(id));
  await scene.settle(hub);
  expect(await scene.east.read(ref, signal)).toBeUndefined();
  expect(await readdir(share)).toEqual([]);
});

test("a record that was edited removes no other nest's folder", async () => {
  withStorage({ storage_type: "nfs", nfs_mount_ip: "10.1.2.3", nfs_path: "/exports", nfs_local_path: share });
  await mkdir(join(share, "hosted-other"));
  const hub = scene.hub({ storage: storageByCluster() });
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  for (const path of ["/exports/hosted-other", "/exports", "/exports/../etc"]) {
    const record = { ...(await scene.records.get(id)), objstore_export_id: path };
    const removed = storageByCluster().remove(record, scene.entries[0] ?? { id: "east" }, signal);
    await expect(removed).rejects.toMatchObject({ code: "storage_export_refused" });
  }
  expect((await readdir(share)).sort()).toEqual([id, "hosted-other"].sort());
});

test("a prefix of the object storage has a credential of its own in the nest's Secret, and goes with the nest", async () => {
  const asked: PrefixRequest[] = [];
  const removed: PrefixRequest[] = [];
  const storage = storageByCluster({
    make: async (request) => {
      asked.push(request);
      return { accessKeyId: new Secret("AKIA-of-the-nest"), secretAccessKey: new Secret("its-secret") };
    },
    remove: async (request) => void removed.push(request),
  });
  withStorage({ storage_type: "s3", s3_bucket: "nests-bucket" });
  const hub = scene.hub({ storage });
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  const wanted = { nestId: id, bucket: "nests-bucket", prefix: `nests/${id}/` };
  expect(asked).toEqual([wanted]);
  const { data } = await scene.east.secret(namespaceOf(id), "nest-secrets", signal);
  const value = (data as Record<string, string>)["s3-access-key-id"] ?? "";
  expect(Buffer.from(value, "base64").toString()).toBe("AKIA-of-the-nest");
  expect(JSON.stringify(await scene.records.get(id))).not.toContain("AKIA");
  await hub.deprovision(id, "octo");
  await scene.settle(hub);
  expect(removed).toEqual([wanted]);
});

test.each([
  [{ storage_type: "tape" }, 'storage_type "tape" is unknown'],
  [{ storage_type: "nfs", nfs_mount_ip: "10.1.2.3", nfs_path: "/exports" }, "nfs_local_path does not say"],
  [{ storage_type: "s3", s3_bucket: "nests-bucket" }, "no way to make credentials"],
])("a storage that cannot be made ends the creation with its reason: %j", async (storage, words) => {
  withStorage(storage);
  const hub = scene.hub({ storage: storageByCluster() });
  const { id } = await hub.create(aRequest());
  await scene.settle(hub);
  const { error } = await scene.records.get(id);
  expect(error).toMatch(/^provisioning failed, check hub logs: storage: /);
  expect(error).toContain(words);
});
