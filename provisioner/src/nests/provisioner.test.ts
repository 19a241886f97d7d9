import { readdir, readFile } from "node:fs/promises";
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

describe("a created nest", () => {
  test("is provisioning at once, with its id and host, and running when its pod is ready", async () => {
    const hub = scene.hub();
    const begun = await hub.create(aRequest());
    expect(begun).toMatchObject({ status: "provisioning", owner: "octo", cluster_id: "east" });
    expect(begun.id).toMatch(/^hosted-acme-widgets-[a-z0-9]{4}$/);
    expect(begun.subdomain).toBe(`${begun.id}.east.example.org`);
    await scene.settle(hub);
    const done = await scene.records.get(begun.id);
    expect(done.status).toBe("running");
    expect(done.operation).toBeUndefined();
    expect(done.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "storage done",
      "namespace done",
      "limits done",
      "roles done",
      "volume done",
      "config done",
      "secrets done",
      "service done",
      "entrance done",
      "deployment done",
      "ready done",
    ]);
  });

  test("its Secret has a random dashboard token of 64 hex, the app's key and the hub's shared secret", async () => {
    const hub = scene.hub();
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    const secret = await scene.secretOf(id);
    expect(secret["dashboard-token"]).toMatch(/^[0-9a-f]{64}$/);
    expect(secret["app-key.pem"]).toBe(APP_KEY);
    expect(secret["hub-secret"]).toBe("the-secret-of-all-heartbeats");
    expect((await hub.proxyToken(id, signal))?.reveal()).toBe(secret["dashboard-token"]);
  });

  test("its credentials are in no file in clear while they wait, and in none afterwards", async () => {
    const hub = scene.hub();
    scene.east.hang("apply", { kind: "Secret" });
    const { id } = await hub.create(aRequest());
    await scene.until(async () =>
      (await scene.records.get(id)).steps.some(({ name, state }) => name === "secrets" && state === "running"),
    );
    const folder = join(scene.folder, "saas", "nests", id);
    expect(await readdir(folder)).toContain("credentials.sealed");
    for (const name of await readdir(folder))
      expect(await readFile(join(folder, name), "latin1")).not.toContain("QUFBQQ==");
    await scene.settle(hub);
    expect(await readdir(folder)).toEqual(["meta.json"]);
  });

  test("whose app comes later has all objects applied, then is in error with the spec's words", async () => {
    const hub = scene.hub();
    const { id } = await hub.create(aRequest({ auth: { auth_method: "app-later", app_id: "123" }, secrets: {} }));
    await scene.settle(hub);
    const record = await scene.records.get(id);
    expect(record.status).toBe("error");
    expect(record.error).toMatch(/^provisioning failed, check hub logs: app: the app is not installed yet/);
    expect(await scene.east.read(deployment(id), signal)).toBeDefined();
    await hub.heard(id, true);
    expect((await scene.records.get(id)).status).toBe("error");
    await hub.heard(id, false);
    expect(await scene.records.get(id)).toMatchObject({ status: "running" });
  });

  test("on a pull_only cluster has a record in provisioning, and nothing is touched", async () => {
    const hub = scene.hub();
    const { id, status } = await hub.create(aRequest({ clusterId: "far" }));
    await scene.settle(hub);
    expect(status).toBe("provisioning");
    expect(scene.east.changes).toEqual([]);
    expect(await hub.manifestsOf(id)).toContain("kind: Route");
    expect(await readdir(join(scene.folder, "saas", "nests", id))).toEqual(["meta.json"]);
  });

  test("an unknown cluster and a full one are refused by name", async () => {
    const hub = scene.hub();
    await expect(hub.create(aRequest({ clusterId: "north" }))).rejects.toMatchObject({ code: "cluster_unknown" });
    scene.entries = scene.entries.map((entry) => (entry.id === "east" ? { ...entry, max_nests: 1 } : entry));
    const both = await Promise.allSettled([hub.create(aRequest()), hub.create(aRequest())]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(hub.create(aRequest())).rejects.toMatchObject({ code: "cluster_full" });
  });
});

describe("trouble on the way", () => {
  test.each([409, 429, 500, 503])(
    "an API server that answers %i is asked again, and the nest comes",
    async (status) => {
      const hub = scene.hub();
      scene.east.fail("apply", { kind: "Service" }, status, 3);
      const { id } = await hub.create(aRequest());
      await scene.settle(hub);
      const record = await scene.records.get(id);
      expect(record.status).toBe("running");
      expect(record.steps.find(({ name }) => name === "service")?.attempt).toBe(4);
    },
  );

  test("one that refuses ends it with the step and the reason, and a retry goes on", async () => {
    const hub = scene.hub();
    scene.east.fail("apply", { kind: "Role" }, 403);
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    const failed = await scene.records.get(id);
    expect(failed.status).toBe("error");
    expect(failed.error).toMatch(/^provisioning failed, check hub logs: roles: .*the cluster's roles do not allow it/);
    await hub.retry(id, "octo");
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({ status: "running" });
    expect((await scene.secretOf(id))["app-key.pem"]).toBe(APP_KEY);
  });

  test("one that hangs is given up after a minute and asked again", async () => {
    const hub = scene.hub();
    scene.east.hang("apply", { kind: "ConfigMap" });
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    expect((await scene.records.get(id)).status).toBe("running");
  });

  test("what happened while a watch was lost counts as soon as it is back", async () => {
    const hub = scene.hub();
    scene.controllers.east.fates.set(IMAGE, "waits");
    const { id } = await hub.create(aRequest());
    await scene.until(async () => (await scene.records.get(id)).steps.at(-1)?.state === "running");
    await scene.east.loseWatches(() => {
      const status = { observedGeneration: 9, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
      scene.east.setStatus(deployment(id), status);
    });
    await scene.settle(hub);
    expect((await scene.records.get(id)).status).toBe("running");
  });

  test.each([
    [
      "an image that cannot be pulled",
      {
        containerStatuses: [
          { name: "nest", state: { waiting: { reason: "ImagePullBackOff", message: "no such tag" } } },
        ],
      },
      /nest: ImagePullBackOff: no such tag; see the image's name/,
    ],
    [
      "a container that ends with 255 again and again",
      {
        containerStatuses: [
          {
            name: "nest",
            restartCount: 5,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 255, reason: "Error" } },
          },
        ],
      },
      /nest ended with exit code 255 \(Error\); the pod has the restricted security class/,
    ],
    [
      "no node for it",
      {
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
        ],
      },
      /no node takes the pod: 0\/3 nodes are available; add a node/,
    ],
  ])("the record says the real reason: %s", async (_, status, words) => {
    const hub = scene.hub();
    scene.controllers.east.fates.set(IMAGE, { status: { phase: "Pending", ...status } });
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    const record = await scene.records.get(id);
    expect(record.status).toBe("error");
    expect(record.error).toMatch(/^provisioning failed, check hub logs: ready: /);
    expect(record.error).toMatch(words);
  });

  test("a pod bound to the wrong security class is told apart", async () => {
    scene.entries = scene.entries.map((entry) => (entry.id === "east" ? { ...entry, scc: "anyuid" } : entry));
    const hub = scene.hub();
    scene.controllers.east.fates.set(IMAGE, {
      status: { phase: "Pending" },
      annotations: { "openshift.io/scc": "restricted-v2" },
    });
    const { id } = await hub.create(aRequest());
    await scene.settle(hub);
    expect((await scene.records.get(id)).error).toContain("got the security class restricted-v2 and not anyuid");
  });

  test("a namespace of another hub is refused by its name and not taken over", async () => {
    const [one, other] = [scene.hub(), scene.hub({ hubId: "hub-two" })];
    const { id } = await one.create(aRequest());
    await scene.settle(one);
    await other.repair(id, "octo");
    await scene.settle(other);
    const record = await scene.records.get(id);
    expect(record.error).toContain(`Namespace ${namespaceOf(id)} belongs to the hub hub-one`);
    const namespace = await scene.east.read(namespaceRef(id), signal);
    expect(namespace?.metadata.annotations?.["nest/hub-id"]).toBe("hub-one");
  });
});

describe("many at once", () => {
  test("so many a cluster as it may have, the others in the order in which they came, with their place", async () => {
    const hub = scene.hub({ mostAtOnce: 1 });
    scene.east.hang("apply", { kind: "Namespace" });
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth += 1) ids.push((await hub.create(aRequest())).id);
    await expect.poll(() => ids.map((id) => hub.position(id))).toEqual([undefined, 1, 2]);
    const elsewhere = await hub.create(aRequest({ clusterId: "west" }));
    expect(hub.position(elsewhere.id)).toBeUndefined();
    await scene.settle(hub);
    expect((await scene.records.list()).map(({ status }) => status)).toEqual(Array(4).fill("running"));
    const applied = scene.east.changes.filter((change) => change.startsWith("apply Namespace"));
    expect(applied).toEqual(ids.map((id) => `apply Namespace ${namespaceOf(id)}`));
  });
});
