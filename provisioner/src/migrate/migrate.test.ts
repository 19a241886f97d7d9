import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Provisioner } from "../nests/provisioner.ts";
import { aRequest, IMAGE, Scene } from "../testing/scene.ts";

let scene: Scene;
let hub: Provisioner;
let id: string;
let namespace: string;
const signal = new AbortController().signal;
const deploymentRef = () => ({ apiVersion: "apps/v1", kind: "Deployment", name: "nest", namespace });
const namespaceRef = () => ({ apiVersion: "v1", kind: "Namespace", name: namespace });

/** The data of a nest that has worked: with names that a shell would trip over, a link, and bulk. */
async function fill(data: string): Promise<void> {
  for (const folder of ["beads/scanner", "home/.cache", "logs"]) await mkdir(join(data, folder), { recursive: true });
  await writeFile(join(data, "nest-id"), `${id}\n`);
  await writeFile(join(data, "app-key.pem"), "the key");
  await writeFile(join(data, "beads/scanner/ledger.jsonl"), "{}\n".repeat(1000));
  await writeFile(join(data, "beads/scanner/a name\nwith $(touch x) in it"), "odd");
  await writeFile(join(data, "home/.cache/bulk"), "bulk");
  await symlink("nest-id", join(data, "link"));
}

beforeEach(async () => {
  scene = await Scene.make();
  hub = scene.hub();
  ({ id } = await hub.create(aRequest()));
  namespace = namespaceOf(id);
  await scene.settle(hub);
  await fill(await scene.volumes.east.data(namespace));
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

test("a nest moves with its identity, beads and keys, and the old one goes only afterwards", async () => {
  const { data: before } = await scene.east.secret(namespace, "nest-secrets", signal);
  await hub.migrate(id, "west", "octo");
  await scene.settle(hub);
  const record = await scene.records.get(id);
  expect(record).toMatchObject({ status: "running", cluster_id: "west", subdomain: `${id}.west.example.org` });
  expect(record.error).toBeUndefined();
  const data = await scene.volumes.west.data(namespace);
  expect(await readFile(join(data, "app-key.pem"), "utf8")).toBe("the key");
  expect(await readFile(join(data, "beads/scanner/a name\nwith $(touch x) in it"), "utf8")).toBe("odd");
  expect(await readFile(join(data, "link"), "utf8")).toBe(`${id}\n`);
  await expect(readFile(join(data, "home/.cache/bulk"))).rejects.toThrow();
  expect((await scene.west.secret(namespace, "nest-secrets", signal)).data).toEqual(before);
  expect(await scene.east.read(namespaceRef(), signal)).toBeUndefined();
  expect((await scene.west.pods(namespace, signal)).map(({ name }) => name)).not.toContain("nest-copy");
});

test("data that does not arrive as it was sent leaves the old nest running, and nothing of it is lost", async () => {
  const data = await scene.volumes.west.data(namespace);
  scene.volumes.west.afterWrite = () => writeFile(join(data, "nest-id"), "what a bad disk makes of it");
  await hub.migrate(id, "west", "octo");
  await scene.settle(hub);
  const record = await scene.records.get(id);
  expect(record).toMatchObject({ status: "running", cluster_id: "east", replicas: 1 });
  expect(record.error).toMatch(/^migration to west failed, the nest stays on east: /);
  expect((await scene.east.read(deploymentRef(), signal))?.spec).toMatchObject({ replicas: 1 });
  expect((await scene.west.read(deploymentRef(), signal))?.spec).toMatchObject({ replicas: 0 });
});

test("a new nest that does not become ready is stopped before the old one runs again", async () => {
  scene.controllers.west.fates.set(IMAGE, {
    status: {
      phase: "Pending",
      containerStatuses: [{ name: "nest", state: { waiting: { reason: "ErrImageNeverPull" } } }],
    },
  });
  scene.east.changes.length = 0;
  await hub.migrate(id, "west", "octo");
  await scene.settle(hub);
  const record = await scene.records.get(id);
  expect(record).toMatchObject({ status: "running", cluster_id: "east" });
  expect(record.error).toContain("start-new: nest: ErrImageNeverPull");
  expect((await scene.west.read(deploymentRef(), signal))?.spec).toMatchObject({ replicas: 0 });
  const last = scene.east.changes.filter((change) => change.startsWith("scale")).at(-1);
  expect(last).toBe(`scale Deployment ${namespace}/nest to 1`);
  await expect(readFile(join(await scene.volumes.east.data(namespace), "app-key.pem"), "utf8")).resolves.toBe(
    "the key",
  );
});

test("a move to the cluster where it is, or to one that the hub does not touch, is refused", async () => {
  await expect(hub.migrate(id, "east", "octo")).rejects.toMatchObject({ code: "bad_request" });
  await expect(hub.migrate(id, "far", "octo")).rejects.toMatchObject({ code: "cluster_pull_only" });
  await expect(hub.migrate(id, "north", "octo")).rejects.toMatchObject({ code: "cluster_unknown" });
});

test("a nest that was made by hand is adopted where it is, and nothing of it is changed but labels that say whose it is", async () => {
  scene.west.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels: { app: "nest" } } });
  scene.west.put({
    ...deploymentRef(),
    metadata: { name: "nest", namespace, labels: { app: "nest" } },
    spec: { replicas: 1, template: { metadata: {}, spec: { containers: [{ image: IMAGE }] } } },
    status: { availableReplicas: 1 },
  });
  scene.west.changes.length = 0;
  const adopted = await hub.adopt(id, "west", signal);
  expect(adopted).toMatchObject({ cluster_id: "west", status: "running" });
  expect(scene.west.changes).toEqual([`patch Namespace ${namespace}`, `patch Deployment ${namespace}/nest`]);
  await expect(hub.adopt(id, "east", signal)).resolves.toMatchObject({ cluster_id: "east" });
});
