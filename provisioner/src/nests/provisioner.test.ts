import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { NestError, Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
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

async function secretOf(id: string): Promise<Record<string, string>> {
  const { data } = await scene.east.secret(namespaceOf(id), "nest-secrets", signal);
  return Object.fromEntries(
    Object.entries(data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString(),
    ]),
  );
}

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
    const secret = await secretOf(id);
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
    expect((await secretOf(id))["app-key.pem"]).toBe(APP_KEY);
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
    expect((await secretOf(id))["app-key.pem"]).toBe(APP_KEY);
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
});

describe("a placeholder", () => {
  async function placeholder() {
    const hub = scene.hub();
    const { id } = await hub.createPlaceholder("east", "hub");
    await scene.settle(hub);
    return { hub, id };
  }
  const claim = {
    ...aRequest({ owner: "hexa", secrets: { githubToken: new Secret("ghp_abc") }, auth: { auth_method: "token" } }),
  };

  test("is provisioned, scaled to 0 and available", async () => {
    const { id } = await placeholder();
    expect(id).toMatch(/^hosted-available-east-\d{6}-[a-z0-9]{4}$/);
    expect(await scene.records.get(id)).toMatchObject({ status: "available", owner: "", replicas: 0 });
    expect(await scene.east.pods(namespaceOf(id), signal)).toEqual([]);
  });

  test("nobody claims what is not available, and nobody twice", async () => {
    const { hub, id } = await placeholder();
    const both = await Promise.allSettled([hub.claim(id, claim), hub.claim(id, claim)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = both.find((one) => one.status === "rejected");
    expect(refused?.reason).toBeInstanceOf(NestError);
    expect(refused?.reason).toMatchObject({ code: "nest_not_available" });
  });

  test("a claim sets owner and project, brings the credentials and scales to 1", async () => {
    const { hub, id } = await placeholder();
    const before = await secretOf(id);
    scene.east.changes.length = 0;
    await hub.claim(id, claim);
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({
      owner: "hexa",
      org: "acme",
      repos: ["acme/widgets"],
      replicas: 1,
    });
    expect(scene.east.changes).toContain(`scale Deployment ${namespaceOf(id)}/nest to 1`);
    const after = await secretOf(id);
    expect(after["github-token"]).toBe("ghp_abc");
    expect(after["dashboard-token"]).toBe(before["dashboard-token"]);
  });

  test("a claim lays project and app ids over an overlay that is there, keeps the rest of it, and starts the nest again", async () => {
    const { hub, id } = await placeholder();
    const { overlays } = scene.controllers.east;
    overlays.set(namespaceOf(id), "project:\n  org: before\ndashboard:\n  port: 3002\n");
    scene.east.changes.length = 0;
    await hub.claim(id, aRequest());
    await scene.settle(hub);
    expect(parse(overlays.get(namespaceOf(id)) ?? "")).toEqual({
      project: { org: "acme", repos: ["acme/widgets"], primary_repo: "acme/widgets" },
      dashboard: { port: 3002 },
      github: { app_id: 123, installation_id: 456, key_file: "/secrets/app-key.pem" },
      acmm_level: 2,
    });
    expect(scene.east.changes.at(-1)).toMatch(/^delete Pod /);
  });

  test("a claim of a nest without an overlay writes one, and starts nothing again", async () => {
    const { hub, id } = await placeholder();
    scene.east.changes.length = 0;
    await hub.claim(id, aRequest());
    await scene.settle(hub);
    expect(parse(scene.controllers.east.overlays.get(namespaceOf(id)) ?? "")).toMatchObject({
      project: { org: "acme" },
    });
    expect(scene.east.changes.some((change) => change.startsWith("delete Pod"))).toBe(false);
  });
});
