import { rename } from "node:fs/promises";
import { join } from "node:path";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { APP_KEY, aRequest, IMAGE, Scene } from "../testing/scene.ts";

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;
const namespaceRef = (id: string) => ({ apiVersion: "v1", kind: "Namespace", name: namespaceOf(id) });
const deployment = (id: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  name: "nest",
  namespace: namespaceOf(id),
});

describe("a nest that runs", () => {
  async function running() {
    const hub = scene.hub();
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    return { hub, id };
  }

  test("is paused at 0 and resumed at 1, and keeps its volume", async () => {
    const { hub, id } = await running();
    await hub.pause(id, "octo");
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({ status: "paused", replicas: 0 });
    expect(await scene.east.pods(namespaceOf(id), signal)).toEqual([]);
    await hub.resume(id, "octo");
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({ status: "running", replicas: 1 });
  });

  test("is upgraded to another image", async () => {
    const { hub, id } = await running();
    await hub.upgrade(id, "octo", "registry.example.org/nest-spoke:2");
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({
      status: "running",
      image: "registry.example.org/nest-spoke:2",
    });
  });

  test("an upgrade that does not come up brings the old image back, with the reason", async () => {
    const { hub, id } = await running();
    const bad = "registry.example.org/nest-spoke:bad";
    scene.controllers.east.fates.set(bad, {
      status: {
        phase: "Pending",
        containerStatuses: [{ name: "nest", state: { waiting: { reason: "InvalidImageName" } } }],
      },
    });
    await hub.upgrade(id, "octo", bad);
    await scene.settle(hub);
    const record = await scene.records.get(id);
    expect(record).toMatchObject({ status: "running", image: IMAGE });
    expect(record.error).toContain(`upgrade to ${bad} failed, the old image runs on: ready: nest: InvalidImageName`);
    expect(JSON.stringify(await scene.east.read(deployment(id), signal))).not.toContain(bad);
  });

  test("only one thing at a time is done to it", async () => {
    const { hub, id } = await running();
    await hub.pause(id, "octo");
    await expect(hub.resume(id, "octo")).rejects.toMatchObject({ code: "nest_busy" });
    await scene.settle(hub);
  });

  test("drift is told by object and field, and repaired", async () => {
    const { hub, id } = await running();
    expect(await hub.driftOf(id, signal)).toEqual([]);
    await scene.east.patch(deployment(id), { spec: { progressDeadlineSeconds: 7 } }, signal);
    scene.east.take({ apiVersion: "v1", kind: "Service", name: "nest", namespace: namespaceOf(id) });
    const drift = await hub.driftOf(id, signal);
    expect(drift).toContainEqual({
      what: "Deployment nest",
      field: "spec.progressDeadlineSeconds",
      wanted: "300",
      found: "7",
    });
    expect(drift).toContainEqual({ what: "Service nest", wanted: "present", found: "absent" });
    await hub.repair(id, "octo");
    await scene.settle(hub);
    expect(await hub.driftOf(id, signal)).toEqual([]);
    expect((await scene.secretOf(id))["app-key.pem"]).toBe(APP_KEY);
  });

  test("deprovisioning deletes the namespace and the record, and leaves a tombstone", async () => {
    const { hub, id } = await running();
    await hub.deprovision(id, "octo");
    await scene.settle(hub);
    expect(await scene.east.read(namespaceRef(id), signal)).toBeUndefined();
    await expect(scene.records.get(id)).rejects.toThrow("nest not found");
    expect(await scene.records.tombstone(id)).toMatchObject({ id, owner: "octo", deleted_by: "octo" });
    expect(await scene.records.isTaken(id)).toBe(true);
  });

  test("it is deprovisioned while it is still being made", async () => {
    const hub = scene.hub();
    scene.controllers.east.fates.set(IMAGE, "waits");
    const { id } = await hub.create(aRequest());
    await scene.until(async () => (await scene.records.get(id)).steps.at(-1)?.state === "running");
    await hub.deprovision(id, "octo");
    await scene.settle(hub);
    expect(await scene.east.read(namespaceRef(id), signal)).toBeUndefined();
    expect(await scene.records.read(id)).toBeUndefined();
  });

  test("a namespace that does not end is told with what holds it; the record stays, and a retry finishes", async () => {
    const { hub, id } = await running();
    scene.east.stick(namespaceOf(id));
    await hub.deprovision(id, "octo");
    await scene.until(
      async () => (await scene.east.read(namespaceRef(id), signal))?.metadata.deletionTimestamp !== undefined,
    );
    scene.east.setStatus(namespaceRef(id), {
      phase: "Terminating",
      conditions: [
        {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          message: "kubernetes.io/pvc-protection in 1 resource instances",
        },
      ],
    });
    await scene.settle(hub);
    const record = await scene.records.get(id);
    expect(record.status).toBe("error");
    expect(record.error).toMatch(/^partially deleted, check hub logs: namespace-gone: .*pvc-protection/);
    scene.east.unstick(namespaceOf(id));
    await hub.retry(id, "octo");
    await scene.settle(hub);
    expect(await scene.records.read(id)).toBeUndefined();
  });

  test("a record that somebody edited badly ends a repair with the field, and changes nothing on the cluster", async () => {
    const { hub, id } = await running();
    await scene.records.change(id, (record) => ({ ...record, image: "nest\n    privileged: true" }));
    scene.east.changes.length = 0;
    await hub.repair(id, "octo");
    await scene.settle(hub);
    expect((await scene.records.get(id)).error).toMatch(
      /^repair failed, check hub logs: namespace: .*image: not the name of an image/,
    );
    expect(scene.east.changes).toEqual([]);
  });

  test("a record that vanishes while something is under way ends that, and comes not back", async () => {
    const hub = scene.hub();
    scene.controllers.east.fates.set(IMAGE, "waits");
    const { id } = await hub.create(aRequest());
    await scene.until(async () => (await scene.records.get(id)).steps.at(-1)?.state === "running");
    // At once, whatever is being written into it.
    await rename(scene.records.folderOf(id), join(scene.folder, "taken-away"));
    await scene.settle(hub);
    expect(await scene.records.read(id)).toBeUndefined();
  });
});
