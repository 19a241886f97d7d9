import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { clusterOf, type KubernetesObject, type ManagedCluster } from "@nest/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BASE_IMAGE } from "../harness/contributor-image.ts";
import { RealCluster, realClusterFolder } from "../real-cluster/real-cluster.ts";
import { RealNode, whyNoPods } from "../real-cluster/real-node.ts";

const programs = realClusterFolder();
const impossible = await whyNoPods();
const soon = () => AbortSignal.timeout(60_000);

/** A small web server: `/` answers a file's text, `/env` a variable, `/sick` makes `/health` fail. */
const SERVER = `
use IO::Socket::INET; $| = 1; my $sick = 0; $SIG{TERM} = sub { exit 0 };
my $s = IO::Socket::INET->new(LocalPort => 3002, Listen => 9, ReuseAddr => 1) or die $!;
print "listening\\n";
while (my $c = $s->accept) {
  my ($path) = (<$c> // "") =~ /^GET (\\S+)/;
  $path //= "";
  $sick = 1 if $path eq "/sick";
  my $code = $path eq "/health" && $sick ? 500 : 200;
  my $text = $path eq "/env" ? join(",", map { $ENV{$_} // "" } qw(PLAIN SECRET SETTING POD_IP POD_NAME COMPOSED))
    : $path eq "/files" ? join(",", map { my $f; open($f, "<", $_) ? do { local $/; <$f> } : "no $_" } qw(/etc/nest/nest.yaml /secrets/key /data/marked))
    : "hello";
  print $c "HTTP/1.0 $code OK\\r\\n\\r\\n$text"; close $c;
}`;

describe.skipIf(impossible !== undefined)("pods on the real cluster", { timeout: 120_000 }, () => {
  let real: RealCluster;
  let kubelet: RealNode;
  let cluster: ManagedCluster;
  beforeAll(async () => {
    real = await RealCluster.start(programs ?? "", { controllers: true });
    kubelet = await RealNode.start(real);
    cluster = await clusterOf(await real.kubeconfig());
  }, 120_000);
  afterAll(async () => {
    await kubelet?.[Symbol.asyncDispose]();
    await real?.[Symbol.asyncDispose]();
  }, 60_000);

  async function inNamespace(name: string, ...objects: readonly KubernetesObject[]) {
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal: soon() });
    for (const object of objects)
      await cluster.apply({ ...object, metadata: { ...object.metadata, namespace: name } }, { signal: soon() });
  }
  async function podIn(namespace: string): Promise<RunPod | undefined> {
    const [pod] = await cluster.list({ apiVersion: "v1", kind: "Pod" }, { namespace }, soon());
    return pod as unknown as RunPod | undefined;
  }
  const until = async (namespace: string, isSo: (pod: RunPod) => unknown): Promise<RunPod> => {
    for (;;) {
      const pod = await podIn(namespace);
      if (pod !== undefined && isSo(pod)) return pod;
      soonOver.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const soonOver = AbortSignal.timeout(600_000);
  const isReady = ({ status }: RunPod) =>
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  const waitsFor = (reason: string) => (pod: RunPod) =>
    [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].some(
      ({ state }) => state?.waiting?.reason === reason,
    );
  const get = async (pod: RunPod, path: string) => (await fetch(`http://${pod.status?.podIP}:3002${path}`)).text();
  const events = async (namespace: string) => {
    const found = await cluster.list({ apiVersion: "v1", kind: "Event" }, { namespace }, soon());
    return found.map(({ reason, message }) => `${reason}: ${message}`);
  };

  test("a deployment with init container, config map, secret and claim becomes ready, answers, and is entered", async () => {
    await inNamespace("whole", ...wholeNest());
    const pod = await until("whole", isReady);
    expect(await get(pod, "/")).toBe("hello");
    const { podIP = "", containerStatuses, initContainerStatuses } = pod.status ?? {};
    expect(await get(pod, "/env")).toBe(`plain,s3cret,from a map,${podIP},${pod.metadata.name},plain-s3cret`);
    expect(await get(pod, "/files")).toBe("level: 2\n,the key,by init");
    expect(containerStatuses).toMatchObject([{ name: "nest", ready: true, restartCount: 0 }]);
    expect(initContainerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: "Completed" });

    const pieces: Buffer[] = [];
    const stdout = (piece: Buffer) => void pieces.push(Buffer.from(piece));
    const inside = { namespace: "whole", pod: pod.metadata.name, container: "nest", stdout, signal: soon() };
    const script = "id -u; id -G; stat -c %a:%g /secrets/key; touch /not-here || echo read-only; cat; exit 3";
    const stdin = (async function* () {
      yield Buffer.from("through the pipe");
    })();
    const { exitCode } = await cluster.exec({ ...inside, command: ["sh", "-c", script], stdin });
    const said = Buffer.concat(pieces).toString("utf8").split("\n");
    expect(said).toEqual(["1001", "1000 2000", "440:2000", "read-only", "through the pipe"]);
    expect(exitCode).toBe(3);
    const log = await real.call("GET", `/api/v1/namespaces/whole/pods/${pod.metadata.name}/log`);
    expect(log.text).toBe("listening\n");
  });

  test("two pods listen on the same port, each at its own address", async () => {
    for (const name of ["twin-a", "twin-b"]) await inNamespace(name, deployment({}));
    const pods = await Promise.all(["twin-a", "twin-b"].map((name) => until(name, isReady)));
    expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(2);
    for (const pod of pods) expect(await get(pod, "/")).toBe("hello");
  });

  test("a program that fails is seen in CrashLoopBackOff with its exit code", async () => {
    await inNamespace("crash", deployment({ command: ["sh", "-c", "echo last words; exit 7"] }));
    const pod = await until("crash", (one) => waitsFor("CrashLoopBackOff")(one) && restartsOf(one) > 0);
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 7, reason: "Error" });
    expect((await events("crash")).join()).toContain("BackOff: Back-off restarting failed container");
  });

  test.each([
    ["Never", "ErrImageNeverPull"],
    ["IfNotPresent", "ImagePullBackOff"],
  ])("an image that is not there, with pull policy %s, is %s", async (imagePullPolicy, reason) => {
    const namespace = reason.toLowerCase();
    await inNamespace(namespace, deployment({ image: "localhost/no-such-image:1", imagePullPolicy }));
    const pod = await until(namespace, waitsFor(reason));
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain("localhost/no-such-image:1");
    expect(pod.status?.phase).toBe("Pending");
  });

  test("a secret that is not there keeps the container from being made, and the pod goes on once it is", async () => {
    const env = [{ name: "SECRET", valueFrom: { secretKeyRef: { name: "late", key: "word" } } }];
    await inNamespace("late", deployment({ env }));
    const pod = await until("late", waitsFor("CreateContainerConfigError"));
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe('secret "late" not found');
    await inNamespace("late", secret("late", { word: "now" }));
    expect(await get(await until("late", isReady), "/env")).toContain("now");
  });

  test("a volume that is not there is told as an event", async () => {
    const volumes = [{ name: "config", configMap: { name: "missing" } }];
    await inNamespace("unmounted", deployment({}, { volumes }));
    await expect
      .poll(() => events("unmounted"), { timeout: 20_000 })
      .toContain('FailedMount: MountVolume.SetUp failed: configmap "missing" not found');
  });

  test("a failed init container is run again, and what comes after it waits", async () => {
    const initContainers = [{ name: "first", image: BASE_IMAGE, command: ["sh", "-c", "exit 4"] }];
    await inNamespace("init", deployment({}, { initContainers }));
    const pod = await until("init", waitsFor("CrashLoopBackOff"));
    expect(pod.status?.initContainerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(4);
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("PodInitializing");
  });

  test("a pod that no longer answers its liveness probe is restarted, one that is not ready is told so", async () => {
    const livenessProbe = { httpGet: { path: "/health", port: 3002 }, periodSeconds: 1, failureThreshold: 2 };
    await inNamespace("sick", deployment({ livenessProbe }));
    const pod = await until("sick", isReady);
    await get(pod, "/sick");
    await until("sick", (one) => restartsOf(one) === 1 && isReady(one));
    expect((await events("sick")).join()).toMatch(
      /Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500/,
    );
  });

  test("a deleted namespace takes its pods, their claims and files along, and ends", async () => {
    await inNamespace("leaving", ...wholeNest());
    await until("leaving", isReady);
    const volumes = async () => {
      const found = await cluster.list({ apiVersion: "v1", kind: "PersistentVolume" }, {}, soon());
      return found
        .map(({ spec }) => spec as { claimRef?: { namespace?: string }; hostPath?: { path: string } })
        .filter(({ claimRef }) => claimRef?.namespace === "leaving");
    };
    const folder = (await volumes())[0]?.hostPath?.path ?? "";
    expect(await readFile(join(folder, "marked"), "utf8")).toBe("by init");
    const home = { apiVersion: "v1", kind: "Namespace", name: "leaving" };
    await cluster.delete(home, { signal: soon() });
    await expect.poll(() => cluster.read(home, soon()), { timeout: 60_000, interval: 200 }).toBeUndefined();
    await expect.poll(volumes).toEqual([]);
    await expect.poll(() => readFile(join(folder, "marked")).catch((thrown) => thrown.code)).toBe("ENOENT");
  });

  test("a server of this machine sees that pods are somebody else than the machine itself, which it may trust more", async () => {
    const server = createServer(({ socket }, answer) => answer.end(socket.remoteAddress));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = await kubelet.serve(0, () => (server.address() as AddressInfo).port);
    expect(await (await fetch(`http://${kubelet.gateway}:${port}`)).text()).toBe(kubelet.gateway);
    server.close();
  });

  test("a pod reaches the API server as its service account, and may do what its role allows", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nest-sa" } };
    await inNamespace("account", account, deployment({}, { serviceAccountName: "nest-sa" }));
    const pod = await until("account", isReady);
    const pieces: Buffer[] = [];
    const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
    const script = `curl -sS --cacert ${folder}/ca.crt -H "Authorization: Bearer $(cat ${folder}/token)" https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/api/v1/namespaces/account/secrets`;
    const stdout = (piece: Buffer) => void pieces.push(Buffer.from(piece));
    const inside = { namespace: "account", pod: pod.metadata.name, container: "nest", stdout, signal: soon() };
    await cluster.exec({ ...inside, command: ["sh", "-c", script] });
    const user = "system:serviceaccount:account:nest-sa";
    expect(Buffer.concat(pieces).toString("utf8")).toContain(`User \\"${user}\\" cannot list resource \\"secrets\\"`);
  });
});

interface RunStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: RunState;
  readonly lastState?: RunState;
}

interface RunState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly terminated?: { readonly exitCode: number; readonly reason: string };
}

interface RunPod {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly RunStatus[];
    readonly initContainerStatuses?: readonly RunStatus[];
  };
}

function restartsOf({ status }: RunPod): number {
  return status?.containerStatuses?.[0]?.restartCount ?? 0;
}

function deployment(container: object, pod: object = {}): KubernetesObject {
  const labels = { app: "nest" };
  const readinessProbe = { httpGet: { path: "/", port: 3002 }, periodSeconds: 1 };
  const one = { name: "nest", image: BASE_IMAGE, command: ["perl", "-e", SERVER], readinessProbe, ...container };
  const spec = { terminationGracePeriodSeconds: 5, containers: [one], ...pod };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "nest", labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function secret(name: string, stringData: Readonly<Record<string, string>>): KubernetesObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
}

/** A deployment with everything around it that a nest has. */
function wholeNest(): readonly KubernetesObject[] {
  const resources = { requests: { storage: "1Gi" } };
  const claim = { accessModes: ["ReadWriteMany"], resources, storageClassName: "shared" };
  const env = [
    { name: "PLAIN", value: "plain" },
    { name: "SECRET", valueFrom: { secretKeyRef: { name: "nest-secrets", key: "word" } } },
    { name: "SETTING", valueFrom: { configMapKeyRef: { name: "nest-config", key: "setting" } } },
    { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "COMPOSED", value: "$(PLAIN)-$(SECRET)" },
  ];
  const volumeMounts = [
    { name: "config", mountPath: "/etc/nest" },
    { name: "secrets", mountPath: "/secrets", readOnly: true },
    { name: "data", mountPath: "/data" },
  ];
  const copy = "cp /etc/nest-seed/nest.yaml /etc/nest/ && printf 'by init' > /data/marked && chown -R 1001:1000 /data";
  const init = {
    name: "copy-config",
    image: BASE_IMAGE,
    command: ["sh", "-c", copy],
    volumeMounts: [...volumeMounts, { name: "seed", mountPath: "/etc/nest-seed", readOnly: true }],
    securityContext: { runAsUser: 0 },
  };
  const volumes = [
    { name: "seed", configMap: { name: "nest-config" } },
    { name: "config", emptyDir: {} },
    { name: "secrets", secret: { secretName: "nest-secrets", defaultMode: 0o440 } },
    { name: "data", persistentVolumeClaim: { claimName: "nest-data" } },
  ];
  const securityContext = {
    runAsUser: 1001,
    runAsGroup: 1000,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  };
  const pod = { initContainers: [init], volumes, securityContext: { fsGroup: 2000 } };
  return [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "nest-config" },
      data: { "nest.yaml": "level: 2\n", setting: "from a map" },
    },
    secret("nest-secrets", { word: "s3cret", key: "the key" }),
    { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "nest-data" }, spec: claim },
    deployment({ env, volumeMounts, securityContext }, pod),
  ];
}
