import { expect, test } from "vitest";
import { aRequest, Scene } from "../testing/scene.ts";

const signal = new AbortController().signal;

test("what a live replica of the hub has begun is left to it; what a dead one left is taken up", async () => {
  await using scene = await Scene.make();
  let lives = true;
  // The first replica never gets past its first write to a cluster.
  const stuck = scene.hub({
    replica: { id: "aaaaaaaa", isLive: () => true },
    gate: (effect) => (effect.startsWith("write") ? Promise.resolve() : new Promise(() => {})),
    isDoomed: true,
  });
  const { id } = await stuck.create(aRequest());
  const other = scene.hub({ replica: { id: "bbbbbbbb", isLive: (replica) => replica === "aaaaaaaa" && lives } });
  const namespaces = () => scene.east.list({ apiVersion: "v1", kind: "Namespace" }, {}, signal);
  await other.resumeAll();
  await scene.settle(other);
  expect([(await scene.records.get(id)).operation?.kind, await namespaces()]).toEqual(["provision", []]);
  lives = false;
  await other.resumeAll();
  await scene.settle(other);
  const after = await scene.records.get(id);
  expect([after.status, after.operation]).toEqual(["running", undefined]);
});
