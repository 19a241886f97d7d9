import type { Runner } from "./cluster.contract.ts";
import type { KubernetesObject, ManagedCluster, ObjectRef, WatchEvent } from "./managed.ts";

/** A cluster under test with an empty namespace of its own. */
export interface ManagedUnderTest extends AsyncDisposable {
  readonly cluster: ManagedCluster;
  readonly namespace: string;
  /** Merges fields into an object as somebody else would, under another field manager. */
  byAnother(ref: ObjectRef, patch: object): Promise<void>;
}

/** The contract of every {@link ManagedCluster} about its objects; run it on each implementation. */
export function managedContract({ test, equal }: Runner, make: () => Promise<ManagedUnderTest>): void {
  const soon = () => AbortSignal.timeout(20_000);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "ok",
      (thrown: { code?: unknown; name?: string }) => (typeof thrown.code === "string" ? thrown.code : thrown.name),
    );

  test("applying the same again changes nothing", async () => {
    await using under = await make();
    const one = await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon() });
    const again = await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon() });
    equal([again.metadata.uid, again.metadata.resourceVersion], [one.metadata.uid, one.metadata.resourceVersion]);
  });

  test("applying takes away what it no longer names and leaves what somebody else wrote", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "one", { a: "1", b: "2" }), { signal: soon() });
    await under.byAnother(refTo(under, "one"), { data: { theirs: "3" } });
    const now = await under.cluster.apply(configMap(under, "one", { a: "5" }), { signal: soon() });
    equal(now.data, { a: "5", theirs: "3" });
  });

  test("applying wins over somebody else's value of the same field", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon() });
    await under.byAnother(refTo(under, "one"), { data: { a: "theirs" } });
    const now = await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon() });
    equal(now.data, { a: "1" });
  });

  test("a dry run is judged and kept nowhere", async () => {
    await using under = await make();
    const tried = await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon(), dryRun: true });
    equal(tried.data, { a: "1" });
    equal(await under.cluster.read(refTo(under, "one"), soon()), undefined);
  });

  test("an object that the cluster does not accept is told from one whose namespace is not there", async () => {
    await using under = await make();
    equal(await codeOf(under.cluster.apply(configMap(under, "Bad_Name", {}), { signal: soon() })), "cluster_invalid");
    const nowhere = configMap({ namespace: "no-such-namespace" }, "one", {});
    equal(await codeOf(under.cluster.apply(nowhere, { signal: soon() })), "cluster_absent");
  });

  test("an object is read by its name; one that is not there is undefined", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "one", { a: "1" }), { signal: soon() });
    const found = await under.cluster.read(refTo(under, "one"), soon());
    equal([found?.kind, found?.apiVersion, found?.data], ["ConfigMap", "v1", { a: "1" }]);
    equal(await under.cluster.read(refTo(under, "two"), soon()), undefined);
  });

  test("a list takes the objects of a namespace whose labels match, each with its kind", async () => {
    await using under = await make();
    const labels = { blue: { app: "nest", tier: "spare" }, red: { app: "nest" }, grey: { app: "other" } };
    for (const [name, own] of Object.entries(labels))
      await under.cluster.apply(configMap(under, name, {}, own), { signal: soon() });
    const named = async (labelSelector: string) => {
      const filter = { namespace: under.namespace, labelSelector };
      const found = await under.cluster.list(CONFIG_MAP, filter, soon());
      return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
    };
    equal(await named("app=nest"), ["ConfigMap blue", "ConfigMap red"]);
    equal(await named("app=nest,tier!=spare"), ["ConfigMap red"]);
    equal(await named("app,!tier"), ["ConfigMap grey", "ConfigMap red"]);
    equal(await named("app in (other,none)"), ["ConfigMap grey"]);
    equal(await named("tier notin (none)"), await named("tier!=none"));
  });

  test("a list of more than a page is whole", async () => {
    await using under = await make();
    const names = Array.from({ length: 520 }, (_, at) => `c${String(at).padStart(3, "0")}`);
    for (let at = 0; at < names.length; at += 40)
      await Promise.all(
        names
          .slice(at, at + 40)
          .map((name) => under.cluster.apply(configMap(under, name, {}, { many: "yes" }), { signal: soon() })),
      );
    const filter = { namespace: under.namespace, labelSelector: "many=yes" };
    const found = await under.cluster.list(CONFIG_MAP, filter, soon());
    equal(found.map(({ metadata }) => metadata.name).sort(), names);
  });

  test("a watch tells what is there, that this was all, then each change in order", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "old", {}, { w: "1" }), { signal: soon() });
    await using watch = following(under, "w=1");
    await watch.until((told) => told.includes("synced old"));
    await under.cluster.apply(configMap(under, "new", { a: "1" }, { w: "1" }), { signal: soon() });
    await under.cluster.apply(configMap(under, "unlike", {}, { w: "2" }), { signal: soon() });
    await under.cluster.patch(refTo(under, "new"), { data: { a: "2" } }, soon());
    await under.cluster.delete(refTo(under, "new"), { signal: soon(), propagation: "Background" });
    await watch.until((told) => told.includes("deleted new"));
    equal(watch.told, ["added old", "synced old", "added new", "modified new", "deleted new"]);
  });

  test("a second reader learns what is there although it came later, and goes on when the first leaves", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "old", {}, { w: "1" }), { signal: soon() });
    const first = following(under, "w=1");
    await first.until((told) => told.includes("synced old"));
    await using second = following(under, "w=1");
    await second.until((told) => told.includes("synced old"));
    await first[Symbol.asyncDispose]();
    await under.cluster.apply(configMap(under, "new", {}, { w: "1" }), { signal: soon() });
    await second.until((told) => told.includes("added new"));
    equal(
      [first.told, second.told],
      [
        ["added old", "synced old"],
        ["added old", "synced old", "added new"],
      ],
    );
  });

  test("a reader that throws ends with its error and disturbs no other", async () => {
    await using under = await make();
    await using steady = following(under, undefined);
    await steady.until((told) => told.some((line) => line.startsWith("synced")));
    const filter = { namespace: under.namespace };
    const broken = under.cluster.watch(CONFIG_MAP, filter, {
      signal: soon(),
      onEvent() {
        throw Object.assign(new Error("a bug of the reader"), { code: "reader_bug" });
      },
    });
    equal(await codeOf(broken), "reader_bug");
    await under.cluster.apply(configMap(under, "new", {}), { signal: soon() });
    await steady.until((told) => told.includes("added new"));
  });

  test("scaling sets the replicas and nothing else; what is not there cannot be scaled", async () => {
    await using under = await make();
    await under.cluster.apply(deployment(under, 0), { signal: soon() });
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: under.namespace, name: "idle" };
    await under.cluster.scale(ref, 2, soon());
    const scaled = await under.cluster.read(ref, soon());
    equal((scaled?.spec as { replicas?: number } | undefined)?.replicas, 2);
    equal(await codeOf(under.cluster.scale({ ...ref, name: "none" }, 1, soon())), "cluster_absent");
  });

  test("a patch merges, and null takes away; what is not there cannot be patched", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "one", { a: "1", b: "2" }), { signal: soon() });
    const now = await under.cluster.patch(refTo(under, "one"), { data: { a: null, c: "3" } }, soon());
    equal(now.data, { b: "2", c: "3" });
    equal(await codeOf(under.cluster.patch(refTo(under, "none"), { data: {} }, soon())), "cluster_absent");
  });

  test("deleting tells whether it was there", async () => {
    await using under = await make();
    await under.cluster.apply(configMap(under, "one", {}), { signal: soon() });
    const options = { signal: soon(), propagation: "Background" } as const;
    equal(await under.cluster.delete(refTo(under, "one"), options), true);
    equal(await under.cluster.delete(refTo(under, "one"), options), false);
  });

  test("a namespace takes what is in it along; stuck, it stays terminating and takes nothing new", async () => {
    await using under = await make();
    const home = { apiVersion: "v1", kind: "Namespace", name: under.namespace };
    await under.cluster.apply(configMap(under, "free", {}), { signal: soon() });
    await under.cluster.apply(configMap(under, "held", {}), { signal: soon() });
    await under.byAnother(refTo(under, "held"), { metadata: { finalizers: ["nest.test/held"] } });
    equal(await under.cluster.delete(home, { signal: soon() }), true);
    equal(await codeOf(under.cluster.apply(configMap(under, "new", {}), { signal: soon() })), "cluster_forbidden");
    await eventually(async () => (await under.cluster.read(refTo(under, "free"), soon())) === undefined);
    equal(await under.cluster.delete(home, { signal: soon() }), true);
    const stuck = await under.cluster.read(home, soon());
    equal(typeof stuck?.metadata.deletionTimestamp, "string");
    await under.byAnother(refTo(under, "held"), { metadata: { finalizers: null } });
    await eventually(async () => (await under.cluster.read(home, soon())) === undefined);
    equal(await under.cluster.delete(home, { signal: soon() }), false);
  });

  test("the version is a number that can be compared", async () => {
    await using under = await make();
    equal(/^\d+\.\d+\.\d+$/.test(await under.cluster.version(soon())), true);
  });

  test("a call whose signal has ended does nothing and tells the signal's reason", async () => {
    await using under = await make();
    const gone = AbortSignal.abort(Object.assign(new Error("enough"), { code: "enough" }));
    const ref = refTo(under, "one");
    const calls = [
      under.cluster.apply(configMap(under, "one", {}), { signal: gone }),
      under.cluster.read(ref, gone),
      under.cluster.list(CONFIG_MAP, {}, gone),
      under.cluster.patch(ref, {}, gone),
      under.cluster.delete(ref, { signal: gone }),
      under.cluster.version(gone),
    ];
    equal(
      await Promise.all(calls.map(codeOf)),
      calls.map(() => "enough"),
    );
    await under.cluster.watch(CONFIG_MAP, {}, { signal: gone, onEvent: () => {} });
    equal(await under.cluster.read(ref, soon()), undefined);
  });
}

const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap" };

type Place = Pick<ManagedUnderTest, "namespace">;

function refTo({ namespace }: Place, name: string): ObjectRef {
  return { ...CONFIG_MAP, namespace, name };
}

function configMap(
  { namespace }: Place,
  name: string,
  data: Readonly<Record<string, string>>,
  labels?: Readonly<Record<string, string>>,
): KubernetesObject {
  return { ...CONFIG_MAP, metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) }, data };
}

/** Its pods fit on no node, so that nothing but its replicas moves. */
function deployment({ namespace }: Place, replicas: number): KubernetesObject {
  const labels = { app: "idle" };
  const spec = { nodeSelector: { nowhere: "yes" }, containers: [{ name: "idle", image: "localhost/idle" }] };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "idle", namespace },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** Follows the config maps of the namespace and writes down what it is told. The cluster's own ones are left out. */
function following(under: ManagedUnderTest, labelSelector: string | undefined) {
  const stop = new AbortController();
  const told: string[] = [];
  const isOurs = ({ metadata }: KubernetesObject) => metadata.name !== "kube-root-ca.crt";
  const write = (event: WatchEvent) => {
    if (event.type === "synced")
      told.push(["synced", ...event.objects.filter(isOurs).map(({ metadata }) => metadata.name)].join(" "));
    else if (isOurs(event.object)) told.push(`${event.type} ${event.object.metadata.name}`);
  };
  const filter = { namespace: under.namespace, ...(labelSelector === undefined ? {} : { labelSelector }) };
  const done = under.cluster.watch(CONFIG_MAP, filter, { signal: stop.signal, onEvent: write });
  return {
    told,
    until: (isSo: (told: readonly string[]) => boolean) => eventually(async () => isSo(told)),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}

/** Waits until it is so; what never becomes so ends with the test's own limit. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
