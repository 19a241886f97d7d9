import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { clusterOf } from "@nest/cluster";
import { namespaceOf, type nests } from "@nest/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PodmanHere } from "../harness/contributor-image.ts";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { aNest } from "../harness/hosted-scene.ts";
import { ADMIN_TOKEN } from "../harness/hub.ts";
import { HubProcess } from "../harness/hub-process.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";
import { RealNode, whyNoPods } from "../real-cluster/real-node.ts";

const BIN = join(import.meta.dirname, "../../bin");
const impossible = await whyNoPods();

/** A hub, a real API server with its controllers, and a node that runs pods of our own image: nothing is played. */
describe.skipIf(impossible !== undefined)("a hosted nest for real", { timeout: 240_000 }, () => {
  let folder: FolderHere;
  let podman: PodmanHere;
  let real: RealCluster;
  let kubelet: RealNode;
  let hub: HubProcess;
  let id = "";
  let [image, newer, broken] = ["", "", ""];

  beforeAll(async () => {
    folder = await FolderHere.make("hosted-for-real");
    podman = await PodmanHere.make(folder);
    image = await podman.image("nest-spoke");
    [newer, broken] = [`${image}-newer`, `${image}-broken`];
    await podman.run("tag", image, newer);
    await writeFile(folder.in("Containerfile"), `FROM ${image}\nENTRYPOINT ["false"]\n`);
    await podman.run("build", "--layers=false", "-f", folder.in("Containerfile"), "-t", broken, folder.path);
    real = await RealCluster.start(realClusterFolder() ?? "", { controllers: true });
    kubelet = await RealNode.start(real);
    // Pods reach the hub at this machine's end of their own network.
    const [port = 0] = await freePorts(1);
    hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: "http://127.0.0.1:1",
      repos: ["acme/one"],
      token: "t",
      port,
      environment: {
        NEST_HUB_HOST: kubelet.gateway,
        NEST_HUB_PUBLIC_URL: `http://${kubelet.gateway}:${port}`,
        NEST_HUB_PLAIN_USER_COOKIE: "true",
        NEST_HUB_ADMINS: "ada",
        NEST_SPOKE_IMAGE: image,
      },
    });
    const cluster = {
      id: "here",
      kubeconfig_path: await real.kubeconfig(),
      domain: "nests.test",
      ingress: "ingress",
      ingress_class: "nginx",
    };
    await writeFile(folder.in("hub/clusters.json"), JSON.stringify([cluster]));
    await mkdir(folder.in("hub/saas/users"), { recursive: true });
    await writeFile(folder.in("hub/saas/users/ada.json"), JSON.stringify({ github_username: "ada" }));
  }, 300_000);

  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    await kubelet?.[Symbol.asyncDispose]();
    await real?.[Symbol.asyncDispose]();
    await podman?.removeImages();
    await folder?.[Symbol.asyncDispose]();
  }, 120_000);

  async function asAda<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    const response = await fetch(`${hub.url}${path}`, {
      method,
      headers: { cookie: "nest_hub_user=ada", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${text}\n${hub.process.said.slice(-2000)}`);
    return JSON.parse(text) as Reply;
  }
  const nest = () => asAda<nests.NestDetail>("GET", `/api/saas/nests/${id}`);
  const stands = async (status: string) => {
    const seen = async () => {
      const { status: now, error, steps, operation } = await nest();
      return operation === undefined && now === status ? status : { now, error, steps };
    };
    await expect.poll(seen, { timeout: 120_000, interval: 200 }).toBe(status);
  };
  const podAddress = async () => {
    const { text } = await real.call("GET", `/api/v1/namespaces/${namespaceOf(id)}/pods?labelSelector=app%3Dnest`);
    const { items } = JSON.parse(text) as {
      items: { status: { podIP?: string; phase: string }; metadata: { deletionTimestamp?: string } }[];
    };
    return items.find(({ status, metadata }) => status.phase === "Running" && metadata.deletionTimestamp === undefined)
      ?.status.podIP;
  };
  /** Runs a program in the nest's container, through the API server. */
  const inside = async (...command: readonly string[]) => {
    const cluster = await clusterOf(await real.kubeconfig());
    const signal = AbortSignal.timeout(20_000);
    const [pod] = (await cluster.pods(namespaceOf(id), signal)).filter(({ isEnding }) => !isEnding);
    let said = "";
    const stdout = (piece: Buffer) => {
      said += piece.toString("utf8");
    };
    await cluster.exec({
      namespace: namespaceOf(id),
      pod: pod?.name ?? "",
      container: "nest",
      command,
      stdout,
      signal,
    });
    return said.trim();
  };

  /** Writes a file in the nest's container; answers with the pod's name. */
  const put = async (content: Uint8Array, path: string) => {
    const cluster = await clusterOf(await real.kubeconfig());
    const signal = AbortSignal.timeout(20_000);
    const [pod] = (await cluster.pods(namespaceOf(id), signal)).filter(({ isEnding }) => !isEnding);
    const { exitCode, stderr } = await cluster.exec({
      namespace: namespaceOf(id),
      pod: pod?.name ?? "",
      container: "nest",
      command: ["sh", "-c", `umask 077 && cat > ${path}.part && mv ${path}.part ${path}`],
      stdin: Readable.from([content]),
      stdout: () => {},
      signal,
    });
    expect([exitCode, stderr]).toEqual([0, ""]);
    return pod?.name ?? "";
  };
  /** What the hub's ingress sends the nest with a request of its owner. */
  const proven = async () => {
    const check = await fetch(`${hub.url}/api/saas/auth-check?nest=${id}&uri=/`, {
      headers: { cookie: "nest_hub_user=ada" },
    });
    return Object.fromEntries([...check.headers].filter(([name]) => name.startsWith("x-nest-")));
  };
  /** Asks the nest for its configuration; with `changes`, to save them. */
  const config = async (headers: object, changes?: object) =>
    fetch(`http://${await podAddress()}:3002/api/config`, {
      method: changes === undefined ? "GET" : "PUT",
      headers: { "x-forwarded-host": `${id}.nests.test`, "content-type": "application/json", ...headers },
      ...(changes === undefined ? {} : { body: JSON.stringify(changes) }),
    });
  const backup = async (...words: readonly string[]) => {
    const environment = {
      PATH: process.env.PATH,
      HOME: folder.path,
      NEST_BACKUP_KEY: "ab".repeat(32),
      NEST_BACKUP_DATA_DIR: folder.in("hub"),
      NEST_HUB_NAMESPACE: "nest-hub",
      KUBECONFIG: await real.kubeconfig(),
      NEST_KUBECONFIG_DIR: folder.path,
    };
    await promisify(execFile)(join(BIN, "nest-backup"), words, { env: environment });
  };

  test("is created, and its dashboard answers in the pod, to who proves to be the hub's proxy and to nobody else", async () => {
    ({ id } = await asAda<{ id: string }>("POST", "/api/saas/nests", aNest));
    await stands("running");
    expect((await fetch(`http://${await podAddress()}:3002/api/health`)).status).toBe(200);
    expect((await config(await proven())).status).toBe(200);
    expect((await config({ "x-nest-user": "ada", "x-nest-role": "owner" })).status).not.toBe(200);
  });

  test("its heartbeats arrive with the id that the hub gave it, and its files belong to its own user", async () => {
    await expect.poll(async () => (await nest()).online, { timeout: 60_000, interval: 500 }).toBe(true);
    expect((await inside("cat", "/data/nest-id")).trim()).toBe(id);
    expect(await inside("sh", "-c", "id -u; stat -c %u:%g /data")).toBe("1001\n1001:1000");
  });

  test("is paused and resumed, and keeps its data", async () => {
    await inside("sh", "-c", "echo kept > /data/mark");
    await asAda("POST", `/api/saas/nests/${id}/pause`);
    await stands("paused");
    expect(await podAddress()).toBeUndefined();
    await asAda("POST", `/api/saas/nests/${id}/resume`);
    await stands("running");
    expect(await inside("cat", "/data/mark")).toBe("kept");
  });

  test("is upgraded to another image; one that does not run is rolled back with the reason", async () => {
    await asAda("POST", `/api/saas/nests/${id}/upgrade`, { image: newer });
    await stands("running");
    expect((await nest()).image).toBe(newer);
    await asAda("POST", `/api/saas/nests/${id}/upgrade`, { image: broken });
    await stands("running");
    const after = await nest();
    expect(after.image).toBe(newer);
    expect(after.error).toMatch(/-broken failed, the old image runs on: .*exit code 1/);
  });

  test("is in the hub's backup, read out of its pod through the API server", async () => {
    const saved = await config(await proven(), { governor: { eval_interval_s: 777 } });
    expect(saved.status, await saved.text()).toBe(200);
    await real.addNamespace("nest-hub");
    for (const name of ["nest-hub-secrets", "objstore-api-key", "nest-hub-kubeconfigs", "nest-hub-tls"])
      await real.create("/api/v1/namespaces/nest-hub/secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
      });
    await backup("run", "-local", folder.in("hub.enc"));
    await backup("extract", "-file", folder.in("hub.enc"), "-dest", folder.in("out"));
    const manifest = JSON.parse(await readFile(folder.in("out/MANIFEST.json"), "utf8")) as { spoke_errors: object };
    expect(manifest.spoke_errors).toEqual({});
    expect((await readFile(folder.in("out/spokes", id, "nest-id"), "utf8")).trim()).toBe(id);
  });

  test("is deleted with everything that it was, and the hub forgets it", async () => {
    await asAda("DELETE", `/api/saas/nests/${id}?confirm=${id}`);
    const left = async () => (await real.call("GET", `/api/v1/namespaces/${namespaceOf(id)}`)).status;
    await expect.poll(left, { timeout: 120_000, interval: 500 }).toBe(404);
    const known = async () =>
      (await fetch(`${hub.url}/api/saas/nests/${id}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).status;
    await expect.poll(known, { timeout: 30_000 }).toBe(404);
  });

  test("is gone for good under its id, and what it was set to comes back from the backup in the nest made in its place", async () => {
    const old = id;
    ({ id } = await asAda<{ id: string }>("POST", "/api/saas/nests", aNest));
    expect(id).not.toBe(old);
    await stands("running");
    const interval = async () => {
      const answer = await config(await proven()).catch(() => undefined);
      if (answer?.status !== 200) return undefined;
      const { config: now } = (await answer.json()) as { config: { governor: { eval_interval_s: number } } };
      return now.governor.eval_interval_s;
    };
    expect(await interval()).toBe(300);
    await backup("restore", "-file", folder.in("hub.enc"), "-spoke", old, "-dest", folder.in("old"));
    const overlay = await readFile(folder.in("old/nest.yaml.dashboard"));
    // As `kubectl exec -i` and `kubectl delete pod` do.
    const pod = await put(overlay, "/data/nest.yaml.dashboard");
    await real.call("DELETE", `/api/v1/namespaces/${namespaceOf(id)}/pods/${pod}`);
    await expect.poll(interval, { timeout: 120_000, interval: 500 }).toBe(777);
    expect(await inside("cat", "/data/nest-id")).toBe(id);
  });
});
