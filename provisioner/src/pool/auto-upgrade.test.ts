import { silentLog } from "@nest/kit";
import { HostedNestRecord } from "@nest/protocol";
import { expect, test } from "vitest";
import { Scene } from "../testing/scene.ts";
import { AutoUpgrade, due } from "./auto-upgrade.ts";

let made = 0;
function nest(over: Partial<HostedNestRecord> = {}): HostedNestRecord {
  made += 1;
  const id = `hosted-nest-${made}`;
  return HostedNestRecord.parse({
    id,
    cluster_id: "east",
    status: "running",
    auto_upgrade: true,
    image: "old",
    ...over,
  });
}
const many = (count: number, over: Partial<HostedNestRecord> = {}) => Array.from({ length: count }, () => nest(over));
const upgrading = { operation: { kind: "upgrade", by: "hub", at: "", image: "new" } } as const;

test("the first nest of a cluster goes alone", () => {
  expect(due(many(30), "new")).toHaveLength(1);
  expect(due([...many(29), nest(upgrading)], "new")).toEqual([]);
});

test("once one runs with the image, ten at a time follow", () => {
  const proven = nest({ image: "new" });
  expect(due([proven, ...many(30)], "new")).toHaveLength(10);
  expect(due([proven, ...many(30), ...many(4, upgrading)], "new")).toHaveLength(6);
});

test("an image that failed on two nests goes no further, and is not tried again where it failed", () => {
  const failed = { failed_operation: { kind: "upgrade", by: "hub", at: "", image: "new" } };
  const proven = nest({ image: "new" });
  expect(due([proven, nest(failed), nest()], "new")).toHaveLength(1);
  expect(due([proven, ...many(2, failed), ...many(5)], "new")).toEqual([]);
  expect(due([proven, ...many(2, failed), ...many(5)], "newer")).toHaveLength(1);
});

test("nests without auto_upgrade, in error or at work are left alone; idle ones follow the first", () => {
  const proven = nest({ image: "new" });
  const left = [
    nest({ auto_upgrade: false }),
    nest({ status: "error" }),
    nest({ operation: { kind: "pause", by: "", at: "" } }),
  ];
  const idle = nest({ status: "available" });
  expect(due([proven, ...left, idle], "new")).toEqual([idle]);
});

const CHANNEL = "registry.example.org/nest-spoke:stable";
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const pinnedTo = (letter: string) => `${CHANNEL}@${digest(letter)}`;

test("a channel that moved is a new image, for one nest first and then for all", () => {
  const old = many(12, { image: pinnedTo("a") });
  expect(due(old, pinnedTo("b"))).toHaveLength(1);
  expect(due([nest({ image: pinnedTo("b") }), ...old], pinnedTo("b"))).toHaveLength(10);
});

test("a nest whose pod runs what the channel stands for is left alone, whatever its record calls it, and proves it", () => {
  const [current, behind] = [nest({ image: CHANNEL }), nest({ image: CHANNEL })];
  const running = (id: string) => digest(id === current.id ? "b" : "a");
  expect(due([current, behind], pinnedTo("b"), running)).toEqual([behind]);
  expect(due([current, ...many(3, { image: pinnedTo("a") })], pinnedTo("b"), running)).toHaveLength(3);
});

test("while nobody knows what a channel stands for, or what a nest runs, nothing is upgraded for it", () => {
  expect(due(many(3, { image: pinnedTo("a") }), CHANNEL)).toEqual([]);
  expect(due(many(3, { image: CHANNEL }), pinnedTo("b"))).toEqual([]);
});

test("the switch stops everything, and survives a restart", async () => {
  await using scene = await Scene.make();
  const record = nest();
  await scene.records.create(record);
  const upgraded: string[] = [];
  const deps = {
    dataFolder: scene.folder,
    records: scene.records,
    clustersFile: { list: async () => scene.clusterEntries() },
    imageOf: () => "new",
    digestOf: async () => undefined,
    running: async () => () => undefined,
    upgrade: async (id: string) => upgraded.push(id),
    clock: scene.clock,
    log: silentLog(),
  };
  expect(await new AutoUpgrade(deps).setPause(true, "octo")).toMatchObject({ paused: true, by: "octo" });
  const again = new AutoUpgrade(deps);
  await again.look();
  expect(upgraded).toEqual([]);
  await again.setPause(false, "octo");
  await again.look();
  expect(upgraded).toEqual([record.id]);
});
