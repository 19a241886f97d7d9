import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryCluster } from "@nest/cluster";
import { seededRandom, silentLog, systemClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { instance } from "./instance.ts";
import type { InstanceDeps } from "./verb.ts";

const ID = "hosted-acme-widgets-ab12";
const NAMESPACE = `nest-hosted-${ID}`;
const PROJECT = [
  "-id",
  ID,
  "-owner",
  "octo",
  "-org",
  "acme",
  "-repos",
  "acme/widgets",
  "-hub-url",
  "https://hub.example.org",
];
const PLACE = ["-domain", "apps.example.org", "-scc", "anyuid", "-kubeconfig", "some.yaml"];
const ALL = [...PROJECT, ...PLACE];
const signal = new AbortController().signal;

let folder: string;
let cluster: MemoryCluster;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-instance-test-"));
  cluster = new MemoryCluster();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(args: readonly string[], stdin = "", environment = {}) {
  const [printed, told]: [string[], string[]] = [[], []];
  const deps: InstanceDeps = {
    environment,
    clock: systemClock(),
    random: seededRandom(1),
    log: silentLog(),
    input: (async function* () {
      yield Buffer.from(stdin);
    })(),
    print: (text) => void printed.push(text),
    tell: (text) => void told.push(text),
    connect: async () => cluster,
    signal,
  };
  const code = await instance(args, deps);
  return { code, printed: printed.join(""), told: told.join("\n") };
}

describe("render", () => {
  test("prints the objects in the spec's order, with Routes and the security class, and placeholders for secrets", async () => {
    const { code, printed } = await run(["render", ...ALL]);
    expect(code).toBe(0);
    const objects = parseAllDocuments(printed).map((one) => one.toJS());
    const order = [
      "Namespace",
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "PersistentVolumeClaim",
      "ConfigMap",
      "Secret",
      "Service",
      "Route",
      "Deployment",
    ];
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    expect(kinds.filter((kind) => order.includes(kind))).toEqual(order);
    const { data } = objects.find(({ kind }) => kind === "Secret");
    expect(new Set(Object.values(data))).toEqual(new Set([Buffer.from("placeholder").toString("base64")]));
  });

  test("puts secrets in that come on standard input, and makes a dashboard token of 64 hex", async () => {
    const { printed } = await run(["render", ...ALL, "-secrets"], JSON.stringify({ "hub-secret": "shared" }));
    const { data } = parseAllDocuments(printed)
      .map((one) => one.toJS())
      .find(({ kind }) => kind === "Secret");
    expect(Buffer.from(data["hub-secret"], "base64").toString()).toBe("shared");
    expect(Buffer.from(data["dashboard-token"], "base64").toString()).toMatch(/^[0-9a-f]{64}$/);
  });

  test("-meta prints the hub's record", async () => {
    const { printed } = await run(["render", ...ALL, "-meta", "-cluster-id", "far"]);
    expect(JSON.parse(printed)).toMatchObject({
      id: ID,
      owner: "octo",
      status: "",
      cluster_id: "far",
      acmm_level: 2,
      subdomain: `${ID}.apps.example.org`,
    });
  });

  test("makes an id where none is given, and tells it", async () => {
    const { told } = await run(["render", ...ALL.slice(2)]);
    expect(told).toMatch(/the nest's id is hosted-acme-widgets-[a-z0-9]{4}/);
  });
});

test.each([
  [[], "which verb?"],
  [["destroy"], "unknown verb destroy"],
  [["render"], "flag -org is required"],
  [["render", ...ALL, "-level", "9"], "-level: expected 1 to 6"],
  [["render", ...ALL, "-entrance", "door"], "-entrance:"],
  [["apply", ...PROJECT], "flag -kubeconfig is required"],
  [["verify", "-id", "../../kube-system", "-kubeconfig", "k"], "-id: at most 51"],
  [["delete", "-id", "a/b", "-confirm", "a/b", "-kubeconfig", "k"], "-id: at most 51"],
  [["render", ...ALL.slice(2), "-id", "A"], "-id: at most 51"],
  [["delete", "-id", ID, "-kubeconfig", "k"], "flag -confirm: repeat the id"],
])("%j is wrong usage", async (args, words) => {
  await expect(run(args)).rejects.toMatchObject({ code: "bad_configuration", message: expect.stringContaining(words) });
});

test("secrets that are no JSON, unknown or no text are refused without repeating them", async () => {
  for (const stdin of ["hunter2", '{"password":"hunter2"}', '{"hub-secret":["hunter2"]}']) {
    const thrown = await run(["render", ...ALL, "-secrets"], stdin).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "bad_configuration" });
    expect(String((thrown as Error).message)).not.toContain("hunter2");
  }
});

test("a primary repository that is none of them is refused", async () => {
  await expect(run(["render", ...ALL, "-primary-repo", "acme/elsewhere"])).rejects.toThrow("-primary-repo");
});

test.each([
  ["apply", ALL],
  ["delete", ["-id", ID, "-confirm", ID, "-kubeconfig", "k"]],
])("%s touches nothing where -data names no folder", async (verb, flags) => {
  const refused = run([verb, ...flags, "-data", join(folder, "tpyo")]);
  await expect(refused).rejects.toThrow("there is no folder");
  expect(await cluster.read({ apiVersion: "v1", kind: "Namespace", name: NAMESPACE }, signal)).toBeUndefined();
  await expect(stat(join(folder, "tpyo"))).rejects.toThrow();
});

test("apply, verify, claim and delete do what the hub does itself where it can", async () => {
  const data = folder;
  const waiting = ["-id", ID, "-org", "available", "-repos", "none", "-hub-url", "https://hub.example.org", ...PLACE];
  const applied = await run(
    ["apply", ...waiting, "-replicas", "0", "-data", data, "-secrets"],
    '{"hub-secret":"shared"}',
  );
  expect(applied).toMatchObject({ code: 0, printed: `${ID}\n` });
  const meta = () => readFile(join(data, "saas", "nests", ID, "meta.json"), "utf8").then(JSON.parse);
  expect(await meta()).toMatchObject({ status: "available", owner: "" });

  const before = await run(["verify", "-id", ID, "-scc", "anyuid", "-kubeconfig", "k"]);
  expect(before.code).toBe(1);

  const stop = new AbortController();
  playControllers(stop.signal);
  const claimed = await run(
    ["claim", ...ALL, "-data", data, "-secrets", "-app-id", "1", "-installation-id", "2"],
    '{"app-key.pem":"KEY"}',
  );
  expect(claimed.code).toBe(0);
  expect(await meta()).toMatchObject({ status: "running", owner: "octo", org: "acme", replicas: 1 });
  const secret = await cluster.secret(NAMESPACE, "nest-secrets", signal);
  const values = Object.entries(secret.data as Record<string, string>).map(([key, one]) => [
    key,
    Buffer.from(one, "base64").toString(),
  ]);
  expect(Object.fromEntries(values)).toMatchObject({ "app-key.pem": "KEY", "hub-secret": "shared" });

  const verified = await run(["verify", "-id", ID, "-scc", "anyuid", "-kubeconfig", "k"]);
  expect(verified).toMatchObject({ code: 0, printed: expect.stringContaining(`${ID} is ready`) });
  stop.abort();

  const deleted = await run(["delete", "-id", ID, "-confirm", ID, "-kubeconfig", "k", "-data", data]);
  expect(deleted.code).toBe(0);
  await expect(meta()).rejects.toThrow();
  expect(await cluster.read({ apiVersion: "v1", kind: "Namespace", name: NAMESPACE }, signal)).toBeUndefined();
});

test("verify fails when the pod has the restricted security class", async () => {
  const stop = new AbortController();
  playControllers(stop.signal, "restricted-v2");
  await run(["apply", ...ALL]);
  const verify = ["verify", "-id", ID, "-scc", "anyuid", "-kubeconfig", "k", "-json"];
  const faults = async () => (JSON.parse((await run(verify)).printed) as { faults: string[] }).faults.join();
  await expect.poll(faults).toContain("has the security class restricted-v2 and not anyuid");
  stop.abort();
  expect((await run(verify)).code).toBe(1);
});

test("a namespace that is no nest's is neither applied over nor deleted", async () => {
  cluster.put({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  await expect(run(["apply", ...ALL])).rejects.toMatchObject({ code: "nest_belongs_elsewhere" });
  await expect(run(["delete", "-id", ID, "-confirm", ID, "-kubeconfig", "k"])).rejects.toMatchObject({
    code: "nest_belongs_elsewhere",
  });
  expect(cluster.changes).toEqual([]);
});

/** Gives each Deployment that has a replica its pod, as controllers do. */
function playControllers(until: AbortSignal, securityClass = "anyuid"): void {
  const kind = { apiVersion: "apps/v1", kind: "Deployment" };
  const onEvent = (event: { readonly type: string }) => {
    if (event.type === "added" || event.type === "modified") setImmediate(reconcile);
  };
  const reconcile = async () => {
    const ref = { ...kind, name: "nest", namespace: NAMESPACE };
    const found = await cluster.read(ref, signal);
    const spec = found?.spec as
      | { replicas: number; template: { metadata: { labels: Record<string, string> } } }
      | undefined;
    if (found === undefined || spec === undefined || found.status !== undefined || spec.replicas === 0) return;
    cluster.addPod(NAMESPACE, { name: "nest-1", phase: "Running" }, async () => ({ exitCode: 0, stderr: "" }));
    const metadata = {
      name: "nest-1",
      namespace: NAMESPACE,
      labels: spec.template.metadata.labels,
      annotations: { "openshift.io/scc": securityClass },
    };
    cluster.put({
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: { containers: [{ name: "nest" }] },
      status: { phase: "Running" },
    });
    cluster.setStatus(ref, {
      observedGeneration: found.metadata.generation,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
    });
  };
  void cluster.watch(kind, {}, { signal: until, onEvent });
}
