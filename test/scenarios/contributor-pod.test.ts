import { readFile } from "node:fs/promises";
import { clusterOf, type KubernetesObject, type ManagedCluster } from "@nest/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { PodmanHere } from "../harness/contributor-image.ts";
import { ContributorScene } from "../harness/contributor-scene.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";
import { RealNode, whyNoPods } from "../real-cluster/real-node.ts";

const NAMESPACE = "nest-contributor";
const impossible = await whyNoPods();

/** The manifest that `contribute-k8s` writes, on a real API server with a node that runs its pod: nothing is played but the agent. */
describe.skipIf(impossible !== undefined)("a relay on a cluster", { timeout: 240_000 }, () => {
  let folder: FolderHere;
  let scene: ContributorScene;
  let real: RealCluster;
  let kubelet: RealNode;
  let cluster: ManagedCluster;

  beforeAll(async () => {
    folder = await FolderHere.make("relay-pod");
    real = await RealCluster.start(realClusterFolder() ?? "", { controllers: true });
    kubelet = await RealNode.start(real);
    cluster = await clusterOf(await real.kubeconfig());
    scene = await ContributorScene.set(folder, await PodmanHere.make(folder), kubelet.gateway);
  }, 240_000);
  afterAll(async () => {
    await kubelet?.[Symbol.asyncDispose]();
    await real?.[Symbol.asyncDispose]();
    await scene?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  }, 120_000);

  const soon = () => AbortSignal.timeout(60_000);
  const pods = async () =>
    (await cluster.list({ apiVersion: "v1", kind: "Pod" }, { namespace: NAMESPACE }, soon())) as unknown as RelayPod[];
  const readyPod = async (isOther: (pod: RelayPod) => boolean = () => true) =>
    (await pods()).find(
      (pod) =>
        isOther(pod) &&
        pod.metadata.deletionTimestamp === undefined &&
        pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
  const logOf = async ({ metadata }: RelayPod) =>
    (await real.call("GET", `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/log`)).text;
  const story = async () => {
    const all = await pods();
    const logs = await Promise.all(all.map((pod) => logOf(pod).catch(String)));
    return JSON.stringify({ status: all.map(({ status }) => status), logs }, null, 2);
  };

  test("works a task to a verified pull request, passes its probes, and goes on in the pod that comes after it", async () => {
    const environment = { ...(await scene.environmentOf("ada")), ANTHROPIC_API_KEY: "dummy" };
    const [image = "", tag = ""] = scene.image.split(/:(?=[^/]*$)/);
    await using command = new ProcessHere("contribute-k8s", [NAMESPACE, folder.in("relay.yaml"), tag], {
      ...environment,
      NEST_RELAY_IMAGE: image,
    });
    expect(await command.ended, command.said).toMatchObject({ code: 0 });
    expect(command.said).toContain(`${scene.image} is in no registry, so every node has to have it`);
    await scene.openIssue();
    const documents = parseAllDocuments(await readFile(folder.in("relay.yaml"), "utf8"));
    for (const document of documents) await cluster.apply(document.toJS() as KubernetesObject, { signal: soon() });

    await scene.hasVerified("ada", 1, story);
    await expect.poll(() => readyPod(), { timeout: 60_000 }).toBeDefined();
    const first = (await readyPod()) as RelayPod;
    expect(first.status?.containerStatuses).toMatchObject([{ image: scene.image, ready: true, restartCount: 0 }]);
    expect(await logOf(first)).toContain("agents are confined to this container");

    const { name } = first.metadata;
    await cluster.delete({ apiVersion: "v1", kind: "Pod", namespace: NAMESPACE, name }, { signal: soon() });
    await expect
      .poll(async () => (await pods()).map(({ metadata }) => metadata.name), { timeout: 60_000 })
      .not.toContain(name);
    await scene.openIssue();
    await scene.hasVerified("ada", 2, story);
    const isOther = ({ metadata }: RelayPod) => metadata.name !== name;
    await expect.poll(() => readyPod(isOther), { timeout: 60_000 }).toBeDefined();
    const second = (await readyPod(isOther)) as RelayPod;
    expect(second.status?.containerStatuses).toMatchObject([{ restartCount: 0 }]);
    expect(await logOf(second)).not.toMatch(/token-of-ada/);
  });
});

interface RelayPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly object[];
  };
}
