import { silentLog } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Provisioner } from "../nests/provisioner.ts";
import { aRequest, IMAGE, Scene } from "../testing/scene.ts";
import { Placeholders } from "./placeholders.ts";

let scene: Scene;
let hub: Provisioner;
let pool: Placeholders;
beforeEach(async () => {
  scene = await Scene.make();
  hub = scene.hub();
  scene.entries = scene.entries.map((entry) =>
    entry.id === "west" ? entry : { ...entry, placeholders: { min: 1, target: 2 } },
  );
  pool = new Placeholders({
    records: scene.hubRecords,
    clustersFile: { list: async () => scene.clusterEntries() },
    make: (clusterId) => hub.createPlaceholder(clusterId, "hub"),
    retry: (id) => hub.retry(id, "hub"),
    clock: scene.clock,
    log: silentLog(),
  });
  pool.start();
});
afterEach(async () => {
  await pool.close();
  await scene[Symbol.asyncDispose]();
});

const statuses = async () => (await scene.records.list()).map(({ status }) => status).sort();
const until = (wanted: readonly string[]) => scene.until(async () => (await statuses()).join() === wanted.join());

test("a pool below its min is filled to its target, on clusters that the hub works on", async () => {
  await until(["available", "available"]);
  expect((await scene.records.list()).map(({ cluster_id }) => cluster_id)).toEqual(["east", "east"]);
});

test("between min and target nothing is made; a claim below min refills, and never returns", async () => {
  await until(["available", "available"]);
  const [one, other] = await scene.records.list();
  await hub.claim(one?.id ?? "", aRequest());
  await until(["available", "running"]);
  const claimedAt = scene.clock.now();
  await hub.claim(other?.id ?? "", aRequest());
  await until(["available", "available", "running", "running"]);
  // Noticed at once, and not by the look every eleven minutes.
  expect(scene.clock.now() - claimedAt).toBeLessThan(120_000);
  await hub.deprovision(one?.id ?? "", "octo");
  await until(["available", "available", "running"]);
  expect((await scene.records.list()).find(({ id }) => id === other?.id)?.owner).toBe("octo");
});

test("after a failure it waits longer each time, then takes up the one that failed", async () => {
  scene.controllers.east.fates.set(IMAGE, {
    status: {
      phase: "Pending",
      containerStatuses: [{ name: "nest", state: { waiting: { reason: "InvalidImageName" } } }],
    },
  });
  await until(["error", "error"]);
  const begun = scene.clock.now();
  scene.controllers.east.fates.clear();
  await scene.controllers.east.renew();
  await until(["available", "available"]);
  expect(scene.clock.now() - begun).toBeGreaterThan(59_000);
  expect(await scene.records.list()).toHaveLength(2);
});
