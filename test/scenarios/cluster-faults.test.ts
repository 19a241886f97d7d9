import { clusterOf, type KubernetesObject, managedClusterOf, type Timing, type WatchEvent } from "@nest/cluster";
import { type Clock, type NestError, systemClock, VirtualClock } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { FakeApiServer, type Fault } from "../fakes/kubernetes/api-server.ts";

const soon = () => AbortSignal.timeout(20_000);
const MAPS = "/api/v1/namespaces/nest-hosted-one/configmaps";
const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap" };
const ONE = { ...CONFIG_MAP, namespace: "nest-hosted-one", name: "one" };
const one = (data: object = {}): KubernetesObject => ({
  ...CONFIG_MAP,
  metadata: { name: "one", namespace: "nest-hosted-one" },
  data,
});
/** Pauses between tries are as short as chance can make them. */
const NO_PAUSES = { random: { fraction: () => 0, hex: () => "" } };

async function scene(timing: Partial<Timing> = {}) {
  const server = await FakeApiServer.start();
  server.addNamespace("nest-hosted-one");
  const cluster = await clusterOf(server.kubeconfig, undefined, { ...NO_PAUSES, ...timing });
  return { server, cluster, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("a call that the cluster does not answer as it should", () => {
  test.each([
    [403, "cluster_forbidden"],
    [409, "cluster_conflict"],
    [410, "cluster_gone"],
    [422, "cluster_invalid"],
    [500, "cluster_failed"],
    [504, "cluster_timeout"],
  ])("%i is %s, told once and not tried again", async (status, code) => {
    await using at = await scene();
    at.server.fail(`PATCH ${MAPS}`, { status }, 9);
    await expect(at.cluster.apply(one(), { signal: soon() })).rejects.toMatchObject({ code });
    expect(at.server.calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(1);
  });

  test("the server's own words are in the sentence, on one line, and a Secret's value is not", async () => {
    await using at = await scene();
    const body = JSON.stringify({ message: "data[a]: Invalid\nvalue: c2VjcmV0 \u001b[31mred" });
    at.server.fail("PATCH /api/v1/namespaces/nest-hosted-one/secrets", { status: 422, body });
    const metadata = { name: "nest-secrets", namespace: "nest-hosted-one" };
    const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { a: "c2VjcmV0" } };
    const applying = at.cluster.apply(secret, { signal: soon() });
    await expect(applying).rejects.toThrow("(data[a]: Invalid value: [secret] red)");
  });

  test.each<[string, Fault]>([
    ["a busy cluster (429)", { status: 429 }],
    ["a cluster that restarts (503)", { status: 503 }],
    ["a connection that is reset", "reset"],
  ])("%s is asked again, and then does what was asked", async (_, fault) => {
    await using at = await scene();
    at.server.fail(`PATCH ${MAPS}`, fault, 2);
    expect(await at.cluster.apply(one({ a: "1" }), { signal: soon() })).toMatchObject({ data: { a: "1" } });
  });

  test("a cluster that stays busy is given up after a few tries, with what it asked for", async () => {
    await using at = await scene();
    at.server.fail(`PATCH ${MAPS}`, { status: 429, headers: { "retry-after": "0" } }, 99);
    const applying = at.cluster.apply(one(), { signal: soon() });
    await expect(applying).rejects.toMatchObject({ code: "cluster_busy", retryAfterMs: 0 });
    expect(at.server.calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(4);
  });

  test("a busy cluster is left alone as long as it asks", async () => {
    const clock = new VirtualClock();
    await using at = await scene({ clock, requestMs: 60_000 });
    at.server.fail(`GET ${MAPS}/one`, { status: 429, headers: { "retry-after": "7" } });
    const patches = () => at.server.calls.filter((call) => call === `GET ${MAPS}/one`).length;
    const reading = at.cluster.read(ONE, soon());
    await expect.poll(patches).toBe(1);
    await settled();
    await clock.advance(6_900);
    await settled();
    expect(patches()).toBe(1);
    await clock.advance(200);
    expect(await reading).toBeUndefined();
  });

  test("a pause longer than a caller would wait is told to the caller", async () => {
    await using at = await scene();
    at.server.fail(`GET ${MAPS}/one`, { status: 503, headers: { "retry-after": "3600" } });
    const reading = at.cluster.read(ONE, soon());
    await expect(reading).rejects.toMatchObject({ code: "cluster_busy", retryAfterMs: 3_600_000 });
  });

  test("a cluster that hangs costs no more than the time of one request", async () => {
    const clock = new VirtualClock();
    await using at = await scene({ clock, requestMs: 30_000 });
    at.server.fail(`PATCH ${MAPS}`, "hang");
    const applying = at.cluster.apply(one(), { signal: soon() });
    const outcome = expect(applying).rejects.toMatchObject({ code: "cluster_timeout" });
    await expect.poll(() => at.server.calls.some((call) => call.startsWith("PATCH"))).toBe(true);
    await clock.advance(30_000);
    await outcome;
  });

  test("a list whose next page has expired begins anew", async () => {
    await using at = await scene();
    for (let number = 0; number < 600; number++)
      at.server.objects.put({ ...one(), metadata: { name: `m${number}`, namespace: "nest-hosted-one" } });
    at.server.fail(`GET ${MAPS}?limit=500&continue=`, { status: 410 });
    const found = await at.cluster.list(CONFIG_MAP, { namespace: "nest-hosted-one" }, soon());
    expect(found).toHaveLength(600);
  });

  test("credentials that were renewed in the kubeconfig are used without a restart", async () => {
    await using at = await scene();
    await at.cluster.version(soon());
    at.server.token = "renewed-token";
    await expect(at.cluster.version(soon())).rejects.toMatchObject({ code: "cluster_unauthorized" });
    await at.server.writeKubeconfig();
    expect(await at.cluster.version(soon())).toBe("1.36.3");
  });

  test("a kind is looked for again, so that an extension that was installed later is found", async () => {
    await using at = await scene();
    const route = { apiVersion: "route.openshift.io/v1", kind: "Route", namespace: "nest-hosted-one", name: "r" };
    await expect(at.cluster.read(route, soon())).rejects.toMatchObject({ code: "cluster_absent" });
    at.server.addRoutes();
    const { namespace, name, ...kind } = route;
    await at.cluster.apply({ ...kind, metadata: { namespace, name }, spec: { host: "a.example" } }, { signal: soon() });
    expect(await at.cluster.read(route, soon())).toMatchObject({ spec: { host: "a.example" } });
    await at.cluster.read(route, soon());
    expect(at.server.calls.filter((call) => call === "GET /apis/route.openshift.io/v1")).toHaveLength(2);
  });
});

describe("a program in a container", () => {
  const running = (cluster: Awaited<ReturnType<typeof scene>>["cluster"]) => {
    const inside = { namespace: "nest-hosted-one", pod: "p", container: "nest", command: ["true"] };
    return cluster.exec({ ...inside, stdout: () => {}, signal: soon() });
  };

  test.each([400, 403, 405, 426, 501])(
    "is run over the older streams where a WebSocket is refused with %i, and only there is it tried again",
    async (status) => {
      await using at = await scene();
      at.server.addPod("nest-hosted-one", "p", "Running", (run) => run.exit(0));
      at.server.withoutSockets = status;
      // The small server has no older streams, and says so.
      await expect(running(at.cluster)).rejects.toThrow("501");
      const tried = at.server.calls.map((call) => call.split(" ").at(-1));
      expect(tried).toEqual(["websocket", "SPDY/3.1"]);
    },
  );

  test.each([401, 404, 500])("is not run a second time where a WebSocket is answered with %i", async (status) => {
    await using at = await scene();
    at.server.addPod("nest-hosted-one", "p", "Running", (run) => run.exit(0));
    at.server.withoutSockets = status;
    await expect(running(at.cluster)).rejects.toMatchObject({ name: "NestError" });
    expect(at.server.calls).toHaveLength(1);
  });
});

describe("a watch", () => {
  /** Follows the config maps; what is told and what faults come is written down. */
  function follow(cluster: Awaited<ReturnType<typeof scene>>["cluster"]) {
    const stop = new AbortController();
    const told: string[] = [];
    const faults: string[] = [];
    const onEvent = (event: WatchEvent) => {
      const names = event.type === "synced" ? event.objects : [event.object];
      told.push([event.type, ...names.map(({ metadata }) => metadata.name)].join(" "));
    };
    const onFault = (fault: NestError) => void faults.push(fault.code);
    const done = cluster.watch(CONFIG_MAP, {}, { signal: stop.signal, onEvent, onFault });
    return {
      told,
      faults,
      [Symbol.asyncDispose]: async () => {
        stop.abort();
        await done;
      },
    };
  }
  const put = (server: FakeApiServer, name: string) =>
    void server.objects.put({ ...CONFIG_MAP, metadata: { name, namespace: "nest-hosted-one" } });
  const lists = (server: FakeApiServer) =>
    server.calls.filter((call) => call === "GET /api/v1/configmaps").length - server.watchesServed;

  test("whose connection breaks goes on where it was, without a new list", async () => {
    await using at = await scene();
    await using seen = follow(at.cluster);
    await expect.poll(() => at.server.watches.count).toBe(1);
    put(at.server, "a");
    await expect.poll(() => seen.told).toContain("added a");
    at.server.watches.cut();
    put(at.server, "b");
    await expect.poll(() => seen.told).toEqual(["synced", "added a", "added b"]);
    expect(lists(at.server)).toBe(1);
  });

  test("that a bookmark moved on survives that older versions expire", async () => {
    await using at = await scene();
    await using seen = follow(at.cluster);
    await expect.poll(() => at.server.watches.count).toBe(1);
    at.server.objects.put({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "nest-hosted-one" } });
    const { version } = at.server.objects;
    at.server.watches.bookmark(version);
    put(at.server, "a");
    await expect.poll(() => seen.told).toContain("added a");
    at.server.watches.expireBefore(version);
    at.server.watches.cut();
    put(at.server, "b");
    await expect.poll(() => seen.told).toContain("added b");
    expect(lists(at.server)).toBe(1);
  });

  test("whose version has expired lists anew and tells only what changed meanwhile", async () => {
    await using at = await scene();
    for (const name of ["stays", "changes", "goes"]) put(at.server, name);
    await using seen = follow(at.cluster);
    await expect.poll(() => at.server.watches.count).toBe(1);
    seen.told.length = 0;
    at.server.watches.cut();
    at.server.objects.put({ ...CONFIG_MAP, metadata: { name: "changes", namespace: "nest-hosted-one" }, data: {} });
    at.server.objects.remove({ ...ONE, name: "goes" });
    put(at.server, "comes");
    at.server.watches.expireBefore(at.server.objects.version);
    await expect.poll(() => seen.told.at(-1)).toBe("synced stays changes comes");
    expect(seen.told.slice(0, -1).sort()).toEqual(["added comes", "deleted goes", "modified changes"]);
    expect(seen.faults).not.toContain("cluster_gone");
  });

  test.each([
    ["an event torn in its middle", '{"type":"ADDED","object":{"metadata":{"na', "cut"],
    ["a line that is no event", "<html>\n", "stays"],
    ["an event of nothing", '{"type":"ADDED","object":null}\n', "stays"],
    ["an event without a version", '{"type":"ADDED","object":{"metadata":{"name":"x"}}}\n', "stays"],
  ])("goes on after %s", async (_, bytes, connection) => {
    await using at = await scene();
    await using seen = follow(at.cluster);
    await expect.poll(() => at.server.watches.count).toBe(1);
    at.server.watches.say(bytes);
    if (connection === "cut") at.server.watches.cut();
    put(at.server, "a");
    await expect.poll(() => seen.told).toContain("added a");
    expect(seen.told.filter((line) => line === "added a")).toHaveLength(1);
  });

  test("whose connection is silent too long is opened anew", async () => {
    await using at = await scene({ silenceMs: 300 });
    await using seen = follow(at.cluster);
    await expect.poll(() => at.server.watchesServed).toBeGreaterThan(1);
    expect(seen.faults).toContain("cluster_timeout");
    put(at.server, "a");
    await expect.poll(() => seen.told).toContain("added a");
  });

  test.each([
    [401, "cluster_unauthorized"],
    [403, "cluster_forbidden"],
    [429, "cluster_busy"],
    [500, "cluster_failed"],
  ])("that is refused with %i tells its reader and goes on trying", async (status, code) => {
    await using at = await scene();
    at.server.fail("GET /api/v1/configmaps", { status }, 2);
    await using seen = follow(at.cluster);
    await expect.poll(() => seen.told).toContain("synced");
    expect(seen.faults).toContain(code);
  });

  test("that always fails comes back later each time, up to half a minute", async () => {
    const pauses: number[] = [];
    const real = systemClock();
    const clock: Clock = {
      ...real,
      sleep(delayMs) {
        pauses.push(delayMs);
        return pauses.length < 12 ? Promise.resolve() : new Promise(() => {});
      },
    };
    await using at = await scene({ clock, random: { fraction: () => 0.999_999, hex: () => "" } });
    at.server.fail("GET /api/v1/configmaps", { status: 500 }, 99);
    await using _ = follow(at.cluster);
    await expect.poll(() => pauses.length).toBe(12);
    expect(pauses.slice(0, 3)).toEqual([1000, 2000, 4000]);
    expect(pauses.at(-1)).toBe(30_000);
  });

  test("serves a thousand readers of five hundred namespaces with one connection, and ends with the last", async () => {
    await using at = await scene();
    const stop = new AbortController();
    let synced = 0;
    const onEvent = (event: WatchEvent) => {
      if (event.type === "synced") synced += 1;
    };
    const readers = Array.from({ length: 1000 }, (_, number) =>
      at.cluster.watch(CONFIG_MAP, { namespace: `nest-hosted-${number % 500}` }, { signal: stop.signal, onEvent }),
    );
    await expect.poll(() => synced).toBe(1000);
    expect(at.server.watchesServed).toBe(1);
    stop.abort();
    await Promise.all(readers);
    await expect.poll(() => at.server.watches.count).toBe(0);
  });
});

describe("a cluster of clusters.json", () => {
  test("is reached by its own kubeconfig and context", async () => {
    await using at = await scene();
    const found = await managedClusterOf({ id: "a", kubeconfigPath: at.server.kubeconfig, context: "fake" });
    expect(found.kind === "usable" && (await found.cluster.version(soon()))).toBe("1.36.3");
  });

  test("is reached by an exec plugin", async () => {
    await using at = await scene();
    const status = { token: "fake-token" };
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status };
    const exec = { apiVersion: credential.apiVersion, command: "echo", args: [JSON.stringify(credential)] };
    await at.server.writeKubeconfig({ exec });
    const found = await managedClusterOf({ id: "a", kubeconfigPath: at.server.kubeconfig });
    expect(found.kind === "usable" && (await found.cluster.version(soon()))).toBe("1.36.3");
  });

  test("whose exec plugin fails has no credentials, and the call says so", async () => {
    await using at = await scene();
    await at.server.writeKubeconfig({ exec: { apiVersion: "client.authentication.k8s.io/v1", command: "false" } });
    const found = await managedClusterOf({ id: "a", kubeconfigPath: at.server.kubeconfig });
    const asking = found.kind === "usable" && found.cluster.version(soon());
    await expect(asking).rejects.toMatchObject({ code: "cluster_unauthorized" });
  });

  test("without a usable client is never touched, whatever kubeconfig lies around", async () => {
    await using at = await scene();
    const before = process.env.KUBECONFIG;
    process.env.KUBECONFIG = at.server.kubeconfig;
    try {
      const entries = [
        { id: "none" },
        { id: "empty", kubeconfigPath: "" },
        { id: "missing", kubeconfigPath: "/no/such/file" },
        { id: "no context", kubeconfigPath: at.server.kubeconfig, context: "other" },
        { id: "unwanted", kubeconfigPath: at.server.kubeconfig, pullOnly: true },
        { id: "no pod", inCluster: true },
      ];
      const found = await Promise.all(entries.map((entry) => managedClusterOf(entry, { root: "/no/such/root" })));
      expect(found.map(({ kind }) => kind)).toEqual(entries.map(() => "pull_only"));
      const faults = found.map((client) => (client.kind === "pull_only" ? client.fault?.code : undefined));
      const [bad, unset] = ["kubeconfig_unusable", undefined];
      expect(faults).toEqual([unset, unset, bad, bad, unset, "cluster_not_configured"]);
      expect(at.server.calls).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.KUBECONFIG;
      else process.env.KUBECONFIG = before;
    }
  });
});

/** Lets answers that are on their way arrive. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
