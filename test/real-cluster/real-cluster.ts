import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerProgram, ContainerRun } from "../fakes/kubernetes/exec-socket.ts";
import { freePorts } from "../harness/folder-here.ts";
import { killAll } from "../harness/process-here.ts";
import { SERVICE_RANGE } from "./kubelet/pod-network.ts";
import { type KubeletCall, readCall } from "./kubelet-wire.ts";

const BUILD = new URL("./build.sh", import.meta.url).pathname;
const ADMIN = "admin-token-of-the-tests";
/** The only node. */
export const NODE = "stub";
/** Marks a pod whose container is played by a function of the test; nothing runs for it. */
export const PLAYED = "nest.test/played";

/** Serves a call to a container; `gone` ends when the caller has gone. */
export type ContainerServer = (call: KubeletCall, run: ContainerRun, gone: AbortSignal) => void;

/** The folder with the server's programs, or undefined with the reason printed; a failure where CI is set. */
export function realClusterFolder(): string | undefined {
  try {
    return execFileSync(BUILD, ["-where"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    const required = process.env.CI === "true" && process.env.NEST_TEST_WITHOUT_REAL_CLUSTER !== "1";
    if (required) throw new Error(`the real cluster server is not built: run ${BUILD}`);
    console.error(`skipped: tests against a real kube-apiserver (build it once with ${BUILD})`);
    return undefined;
  }
}

/**
 * A real kube-apiserver with its etcd on loopback, and a stub kubelet that serves exec. With `controllers`, a real controller
 * manager and scheduler too, so that deployments make pods and deleted namespaces end. Gone with all its data at the end.
 */
export class RealCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #processes: ChildProcess[] = [];
  readonly #programs = new Map<string, ContainerProgram>();
  #driver: Server | undefined;
  #containers: ContainerServer | undefined;
  #server = "";
  #isEnding = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(programs: string, options: { readonly controllers?: boolean } = {}): Promise<RealCluster> {
    const cluster = new RealCluster(await mkdtemp(join(tmpdir(), "nest-real-cluster-")));
    try {
      await cluster.#boot(programs);
      if (options.controllers === true) await cluster.#startControllers(programs);
      return cluster;
    } catch (thrown) {
      await cluster[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** A kubeconfig file for a bearer token; the administrator's by default. */
  async kubeconfig(token = ADMIN): Promise<string> {
    const file = join(this.#folder, `kubeconfig-${createHash("sha256").update(token).digest("hex").slice(0, 8)}`);
    const cluster = { server: this.#server, "insecure-skip-tls-verify": true };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "real",
      clusters: [{ name: "real", cluster }],
      users: [{ name: "real", user: { token } }],
      contexts: [{ name: "real", context: { cluster: "real", user: "real" } }],
    };
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  /**
   * The file system of a pod of a service account, as far as the cluster makes it: token, authority and namespace where every pod
   * has them. Gives the folder and what the pod's environment says.
   */
  async podOf(namespace: string, account: string): Promise<{ root: string; environment: Record<string, string> }> {
    const root = join(this.#folder, `pod-${namespace}-${account}`);
    const folder = join(root, "var/run/secrets/kubernetes.io/serviceaccount");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "token"), await this.tokenOf(namespace, account), { mode: 0o600 });
    await writeFile(join(folder, "ca.crt"), await readFile(join(this.#folder, "certificates", "apiserver.crt")));
    await writeFile(join(folder, "namespace"), namespace);
    const { hostname, port } = new URL(this.#server);
    return { root, environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port } };
  }

  /** Creates an object as the administrator; one that is there already stays. */
  async create(path: string, object: object): Promise<void> {
    const { status, text } = await this.call("POST", path, object);
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${status} ${text}`);
  }

  /** A bearer token for a service account. */
  async tokenOf(namespace: string, account: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } };
    const { text } = await this.call("POST", path, body);
    return (JSON.parse(text) as { status: { token: string } }).status.token;
  }

  async addNamespace(name: string): Promise<void> {
    await this.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  /** The port of the API server on loopback. */
  get port(): number {
    return Number(new URL(this.#server).port);
  }

  /** The certificate that the API server is known by. */
  authority(): Promise<Buffer> {
    return readFile(join(this.#folder, "certificates", "apiserver.crt"));
  }

  /** Who serves exec and logs of the pods that no function of a test plays. */
  serveContainers(serve: ContainerServer): void {
    this.#containers = serve;
  }

  /** A pod bound to the stub node, with its container's program. */
  async addPod(namespace: string, name: string, phase: string, program: ContainerProgram): Promise<void> {
    const spec = { nodeName: NODE, containers: [{ name: "nest", image: "nest" }], automountServiceAccountToken: false };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await this.create(path, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, annotations: { [PLAYED]: "yes" } },
      spec,
    });
    const patch = { status: { phase } };
    await this.call("PATCH", `${path}/${name}/status`, patch, "application/merge-patch+json");
    this.#programs.set(`${namespace}/${name}`, program);
  }

  call(
    method: string,
    path: string,
    body?: object,
    type = "application/json",
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sentBody = body === undefined ? "" : JSON.stringify(body);
      // Node sends the body of a DELETE only when its length is told.
      const length = String(Buffer.byteLength(sentBody));
      const headers = { authorization: `Bearer ${ADMIN}`, "content-type": type, "content-length": length };
      const sent = request(`${this.#server}${path}`, { method, headers, rejectUnauthorized: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      });
      sent.on("error", reject);
      sent.end(sentBody);
    });
  }

  async #boot(programs: string): Promise<void> {
    const at = (name: string) => join(this.#folder, name);
    const [etcd = 0, peer = 0, port = 0] = await freePorts(3);
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(at("sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await writeFile(at("sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
    await writeFile(at("tokens.csv"), `${ADMIN},admin,admin,system:masters\n`, { mode: 0o600 });
    const url = (number: number) => `http://127.0.0.1:${number}`;
    const client = [`--listen-client-urls=${url(etcd)}`, `--advertise-client-urls=${url(etcd)}`];
    const peers = [`--listen-peer-urls=${url(peer)}`, `--initial-advertise-peer-urls=${url(peer)}`];
    this.#run(join(programs, "etcd"), [
      `--data-dir=${at("etcd")}`,
      ...client,
      ...peers,
      `--initial-cluster=default=${url(peer)}`,
      "--unsafe-no-fsync",
    ]);
    this.#run(join(programs, "kube-apiserver"), [
      `--etcd-servers=${url(etcd)}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--cert-dir=${at("certificates")}`,
      `--service-cluster-ip-range=${SERVICE_RANGE}`,
      "--service-account-issuer=https://cluster.test",
      `--service-account-signing-key-file=${at("sa.key")}`,
      `--service-account-key-file=${at("sa.pub")}`,
      `--token-auth-file=${at("tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
      "--kubelet-preferred-address-types=InternalIP",
    ]);
    this.#server = `https://127.0.0.1:${port}`;
    await this.#ready();
    await this.#startKubelet(programs);
  }

  /** Nobody tells the node's health, so the controllers that would find it unhealthy stay away. */
  async #startControllers(programs: string): Promise<void> {
    const config = await this.kubeconfig();
    // They serve nothing, so that no other program's port can keep them from starting.
    const common = [`--kubeconfig=${config}`, "--leader-elect=false", "--secure-port=0"];
    const fast = ["--kube-api-qps=500", "--kube-api-burst=1000"];
    this.#run(join(programs, "kube-controller-manager"), [
      ...[...common, ...fast],
      `--service-account-private-key-file=${join(this.#folder, "sa.key")}`,
      `--root-ca-file=${join(this.#folder, "certificates", "apiserver.crt")}`,
      "--controllers=*,-node-lifecycle-controller,-pod-garbage-collector-controller,-ttl-controller",
      "--namespace-sync-period=2s",
    ]);
    this.#run(join(programs, "kube-scheduler"), [...common, ...fast]);
  }

  #run(file: string, args: readonly string[]): ChildProcess {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(join(this.#folder, "log"), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once("exit", (code) => {
      if (!this.#isEnding) console.error(`${basename(file)} of the real cluster ended by itself (${code})`);
    });
    this.#processes.push(child);
    return child;
  }

  async #ready(): Promise<void> {
    for (let waited = 0; waited < 60_000; waited += 200) {
      if (this.#processes.some(({ exitCode }) => exitCode !== null)) break;
      const answer = await this.call("GET", "/readyz").catch(() => undefined);
      if (answer?.status === 200) return;
      await sleep(200);
    }
    const log = await readFile(join(this.#folder, "log"), "utf8");
    throw new Error(`the real cluster did not become ready:\n${log.slice(-3000)}`);
  }

  async #startKubelet(programs: string): Promise<void> {
    const driver = createNetServer((connection) => this.#drive(connection));
    this.#driver = driver;
    await new Promise<void>((resolve) => driver.listen(0, "127.0.0.1", resolve));
    const { port: driverPort } = driver.address() as AddressInfo;
    // The server does not check the kubelet's certificate unless it is told to; its own will do.
    const [certificate, key] = ["apiserver.crt", "apiserver.key"].map((name) =>
      join(this.#folder, "certificates", name),
    );
    const words = [certificate ?? "", key ?? "", `127.0.0.1:${driverPort}`];
    const kubelet = this.#run(join(programs, "stub-kubelet"), words);
    const port = Number(await new Promise((resolve) => kubelet.stdout?.once("data", resolve)));
    await this.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
    const room = { cpu: "16", memory: "64Gi", pods: "500", "ephemeral-storage": "64Gi" };
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      capacity: room,
      allocatable: room,
      conditions: [{ type: "Ready", status: "True", reason: "StubReady", message: "it is always ready" }],
    };
    await this.call("PATCH", `/api/v1/nodes/${NODE}/status`, { status }, "application/merge-patch+json");
  }

  /** Plays a container's program to the stub kubelet, which serves it over whatever the client speaks. */
  #drive(connection: Socket): void {
    const frame = (channel: number, bytes: string | Buffer) => {
      const head = Buffer.alloc(5);
      head[0] = channel;
      head.writeUInt32BE(Buffer.byteLength(bytes), 1);
      connection.write(Buffer.concat([head, Buffer.from(bytes)]));
    };
    connection.on("error", () => {});
    readCall(connection, (asked, stdin) => {
      const run: ContainerRun = {
        command: asked.command ?? [],
        stdin,
        stdout: (bytes) => frame(1, bytes),
        stderr: (text) => frame(2, text),
        exit: (code) => frame(3, String(code)),
        cut: () => connection.end(),
      };
      const program = this.#programs.get(`${asked.namespace}/${asked.pod}`);
      if (program !== undefined) return void program(run);
      const gone = new AbortController();
      connection.on("close", () => gone.abort());
      if (this.#containers === undefined) run.cut();
      else this.#containers(asked, run, gone.signal);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#driver?.close();
    await killAll(this.#processes);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
