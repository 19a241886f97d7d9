import { ClusterRecord } from "@nest/protocol";
import { expect, test } from "vitest";
import { changeOf, clusterFaults, draftOf, recordOf } from "./cluster-draft.ts";

const east: ClusterRecord = {
  id: "east",
  kubeconfig_path: "east.yaml",
  context: "admin",
  domain: "east.example.org",
  ingress: "ingress",
  max_nests: 20,
  placeholders: { min: 1, target: 3 },
};

test("a cluster's form means the cluster that it shows, and the hub's own schema takes it", () => {
  expect(recordOf(draftOf(east))).toEqual(east);
  expect(changeOf(east, draftOf(east))).toEqual({});
  expect(ClusterRecord.parse(recordOf({ ...draftOf(undefined), id: "new", kubeconfig_path: "x" }))).toEqual({
    id: "new",
    kubeconfig_path: "x",
    ingress: "ingress",
  });
});

test("a field that was emptied takes its key away, and keys that the form does not know stay", () => {
  const before = { ...east, storage_quota: "1Ti" };
  expect(changeOf(before, { ...draftOf(before), context: "", least: "", target: "", max_nests: "30" })).toEqual({
    context: null,
    max_nests: 30,
    placeholders: null,
  });
});

test("a cluster that is worked on by hand has no kubeconfig any more", () => {
  expect(changeOf(east, { ...draftOf(east), reach: "pull_only" })).toEqual({
    kubeconfig_path: null,
    context: null,
    pull_only: true,
  });
});

test.each([
  [{ id: "" }, ["id"]],
  [{ id: "../east" }, ["id"]],
  [{ kubeconfig_path: " " }, ["kubeconfig_path"]],
  [{ max_nests: "-1" }, ["max_nests"]],
  [{ least: "4", target: "3" }, ["least"]],
])("%o has its faults beside its fields", (change, fields) => {
  expect(Object.keys(clusterFaults({ ...draftOf(east), ...change }))).toEqual(fields);
});
