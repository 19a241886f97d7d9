import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemClock, UsageError } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ClustersFile } from "./clusters-file.ts";

let folder: string;
let file: ClustersFile;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-clusters-"));
  await mkdir(join(folder, "saas"));
  file = new ClustersFile({ dataFolder: folder, clock: systemClock(), log: silentLog() });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (value: unknown, where = "clusters.json") => writeFile(join(folder, where), JSON.stringify(value));
const written = async (where = "clusters.json") => JSON.parse(await readFile(join(folder, where), "utf8"));

test("the longer names of earlier hubs are read, and both spellings of a key", async () => {
  await writeFile(join(folder, "kube"), "");
  await write([
    {
      id: "old",
      kubeconfigPath: "kube",
      ingress_type: "openshift-route",
      wildcard_tls_secret: "wild",
      requires_scc: true,
      scc_name: "anyuid",
      pool_min: 1,
      pool_target: 3,
      has_gpu: false,
    },
  ]);
  const entry = await file.find("old");
  expect(entry?.record).toMatchObject({
    ingress: "route",
    tls_secret: "wild",
    scc: "anyuid",
    placeholders: { min: 1, target: 3 },
    has_gpu: false,
  });
  expect(entry?.kubeconfig).toBe(join(folder, "kube"));
  expect(entry?.pullOnlyBecause).toBeUndefined();
});

test.each([
  [{ id: "a", kubeconfig_path: "/no/such/file" }, "its kubeconfig /no/such/file cannot be read (ENOENT)"],
  [{ id: "a" }, "it names no kubeconfig"],
  [{ id: "a", in_cluster: true, pull_only: true }, "it is marked pull_only"],
])("a cluster without a usable client is pull_only: %j", async (record, because) => {
  await write([record]);
  expect((await file.find("a"))?.pullOnlyBecause).toBe(because);
});

test.each(["east", "/moved/away/east"])("a kubeconfig %s is found by its name where they are mounted", async (path) => {
  await mkdir(join(folder, "mounted"));
  await writeFile(join(folder, "mounted/east"), "");
  await write([{ id: "a", kubeconfig_path: path }]);
  const mounting = new ClustersFile({
    dataFolder: folder,
    kubeconfigFolder: join(folder, "mounted"),
    clock: systemClock(),
    log: silentLog(),
  });
  const found = { kubeconfig: join(folder, "mounted/east"), pullOnlyBecause: undefined };
  expect(await mounting.find("a")).toMatchObject(found);
});

test("an absent file means the cluster that the hub runs in, or none", async () => {
  expect(await file.list()).toEqual([]);
  const ownCluster = { id: "own", in_cluster: true };
  const inPod = new ClustersFile({ dataFolder: folder, clock: systemClock(), log: silentLog(), ownCluster });
  expect((await inPod.list()).map(({ record }) => record)).toEqual([ownCluster]);
});

test.each(["{", '{"id":"a"}', '[{"name":"no id"}]', '[{"id":"a"},{"id":"a"}]', '[{"id":"a","ingress":"ftp"}]'])(
  "%s ends the hub with 2",
  async (text) => {
    await writeFile(join(folder, "clusters.json"), text);
    await expect(file.list()).rejects.toBeInstanceOf(UsageError);
  },
);

test("the file under saas/ wins, and is the one that is written", async () => {
  await write([{ id: "a" }]);
  await write([{ id: "b" }], "saas/clusters.json");
  await file.add({ id: "c" });
  expect((await file.list()).map(({ record }) => record.id)).toEqual(["b", "c"]);
  expect(await written()).toEqual([{ id: "a" }]);
});

test("a change keeps keys of others, replaces a longer name, and takes a key away by null", async () => {
  await write([{ id: "a", ingress_type: "nginx", arch: "arm64", max_nests: 3 }]);
  const changed = await file.set("a", { ingress: "route", max_nests: null, id: "z" });
  expect(changed).toEqual({ id: "a", ingress: "route", arch: "arm64" });
  expect(await written()).toEqual([{ id: "a", ingress: "route", arch: "arm64" }]);
  await expect(file.set("a", { ingress: "ftp" })).rejects.toMatchObject({ code: "bad_request" });
  await expect(file.set("z", {})).rejects.toMatchObject({ code: "cluster_unknown" });
  await expect(file.add({ id: "a" })).rejects.toMatchObject({ code: "cluster_exists" });
  await file.remove("a");
  expect(await written()).toEqual([]);
});

test("clusters that two programs add in the same instant are both there", async () => {
  const programs = [1, 2].map(() => new ClustersFile({ dataFolder: folder, clock: systemClock(), log: silentLog() }));
  const ids = Array.from({ length: 20 }, (_, nth) => `c${nth}`);
  await Promise.all(ids.map((id, nth) => programs[nth % 2]?.add({ id, pull_only: true, ingress: "ingress" })));
  expect((await file.list()).map(({ record }) => record.id).sort()).toEqual(ids.sort());
});
