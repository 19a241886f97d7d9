import { createHash, generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateFolder, NestError, readTextIfPresent, systemRandom } from "@nest/kit";
import type { Ports } from "../ports.ts";
import { type ContainerServer, readCall, runOver } from "./kubelet-wire.ts";
import type { ServerPrograms } from "./programs.ts";
import { endLeftProcesses, StartedProcesses } from "./started-processes.ts";

/** The only node. */
export const NODE = "this-machine";
/** Addresses of services, kept for measurements, so that no machine needs them for anything else (RFC 2544). */
const SERVICE_RANGE = "198.18.0.0/24";
/** The service address that the API server's certificate names: the first of its range. */
export const API_SERVICE = "198.18.0.1";
const READY_MS = 60_000;

export interface ApiServerOptions {
  readonly programs: ServerPrograms;
  /** Where it keeps its objects, keys and log. */
  readonly folder: string;
  readonly ports: Pick<Ports, "etcd" | "peer" | "server">;
  /** Also a controller manager and a scheduler, so that deployments make pods and deleted namespaces end. */
  readonly controllers: boolean;
  /** Whether what it was told must survive a machine that loses its power. */
  readonly isDurable: boolean;
  /** Hears when one of its programs ended by itself. */
  readonly onEnd: (why: string) => void;
}

/** A kube-apiserver with its etcd on loopback, and a stub kubelet that serves exec and logs. Its data stays in its folder. */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #processes: StartedProcesses;
  readonly #url: string;
  #token = "";
  #driver: Server | undefined;
  #containers: ContainerServer | undefined;

  private constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#processes = new StartedProcesses(options.folder);
    this.#url = `https://127.0.0.1:${options.ports.server}`;
  }

  /** @throws NestError `local_cluster_failed` with the end of its log. */
  static async start(options: ApiServerOptions): Promise<ApiServer> {
    const server = new ApiServer(options);
    try {
      await makePrivateFolder(options.folder);
      await endLeftProcesses(options.folder);
      await server.#boot();
      await server.#startKubelet();
      if (options.controllers) await server.#startControllers();
      return server;
    } catch (thrown) {
      await server[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  /** A kubeconfig file for a bearer token; the administrator's by default. */
  async kubeconfig(token = this.#token): Promise<string> {
    const file = this.#at(`kubeconfig-${createHash("sha256").update(token).digest("hex").slice(0, 8)}`);
    const cluster = { server: this.#url, "certificate-authority": this.#at("certificates", "apiserver.crt") };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "here",
      clusters: [{ name: "here", cluster }],
      users: [{ name: "here", user: { token } }],
      contexts: [{ name: "here", context: { cluster: "here", user: "here" } }],
    };
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
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

  /** Its port on loopback. */
  get port(): number {
    return this.#options.ports.server;
  }

  /** The certificate that it is known by. */
  authority(): Promise<Buffer> {
    return readFile(this.#at("certificates", "apiserver.crt"));
  }

  /** Who serves exec and logs of pods. */
  serveContainers(serve: ContainerServer): void {
    this.#containers = serve;
  }

  /** Calls the API as the administrator. */
  async call(
    method: string,
    path: string,
    body?: object,
    type = "application/json",
  ): Promise<{ status: number; text: string }> {
    const ca = await this.authority();
    return new Promise((resolve, reject) => {
      const sentBody = body === undefined ? "" : JSON.stringify(body);
      // Node sends the body of a DELETE only when its length is told.
      const length = String(Buffer.byteLength(sentBody));
      const headers = { authorization: `Bearer ${this.#token}`, "content-type": type, "content-length": length };
      const sent = request(`${this.#url}${path}`, { method, headers, ca }, (answer) => {
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

  #at(...names: readonly string[]): string {
    return join(this.#options.folder, ...names);
  }

  async #boot(): Promise<void> {
    const { programs, ports, isDurable } = this.#options;
    await this.#keys();
    const url = (number: number) => `http://127.0.0.1:${number}`;
    this.#run(programs.etcd, [
      `--data-dir=${this.#at("etcd")}`,
      ...[`--listen-client-urls=${url(ports.etcd)}`, `--advertise-client-urls=${url(ports.etcd)}`],
      ...[`--listen-peer-urls=${url(ports.peer)}`, `--initial-advertise-peer-urls=${url(ports.peer)}`],
      `--initial-cluster=default=${url(ports.peer)}`,
      ...(isDurable ? [] : ["--unsafe-no-fsync"]),
    ]);
    this.#run(programs["kube-apiserver"], [
      `--etcd-servers=${url(ports.etcd)}`,
      `--secure-port=${ports.server}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--cert-dir=${this.#at("certificates")}`,
      `--service-cluster-ip-range=${SERVICE_RANGE}`,
      "--service-account-issuer=https://cluster.localhost",
      `--service-account-signing-key-file=${this.#at("sa.key")}`,
      `--service-account-key-file=${this.#at("sa.pub")}`,
      `--token-auth-file=${this.#at("tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
      "--kubelet-preferred-address-types=InternalIP",
    ]);
    await this.#ready();
  }

  /** Made once: objects in etcd were signed with them. */
  async #keys(): Promise<void> {
    const known = await readTextIfPresent(this.#at("tokens.csv"));
    this.#token = known?.split(",", 1)[0] ?? systemRandom().hex(32);
    if (known !== undefined) return;
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(this.#at("sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await writeFile(this.#at("sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
    await writeFile(this.#at("tokens.csv"), `${this.#token},admin,admin,system:masters\n`, { mode: 0o600 });
  }

  /** Nobody tells the node's health, so the controllers that would find it unhealthy stay away. */
  async #startControllers(): Promise<void> {
    const { programs } = this.#options;
    const config = await this.kubeconfig();
    // They serve nothing, so that no other program's port can keep them from starting.
    const common = [`--kubeconfig=${config}`, "--leader-elect=false", "--secure-port=0"];
    const fast = ["--kube-api-qps=500", "--kube-api-burst=1000"];
    this.#runAlways(programs["kube-controller-manager"], [
      ...[...common, ...fast],
      `--service-account-private-key-file=${this.#at("sa.key")}`,
      `--root-ca-file=${this.#at("certificates", "apiserver.crt")}`,
      "--controllers=*,-node-lifecycle-controller,-pod-garbage-collector-controller,-ttl-controller",
      "--namespace-sync-period=2s",
    ]);
    this.#runAlways(programs["kube-scheduler"], [...common, ...fast]);
  }

  /** The two end by themselves when the server is slow to answer, and trust that somebody starts them again. */
  #runAlways(file: string, args: readonly string[]): void {
    this.#processes.startAlways(file, args, this.#options.onEnd);
  }

  #run(file: string, args: readonly string[]) {
    return this.#processes.start(file, args, this.#options.onEnd);
  }

  async #ready(): Promise<void> {
    for (let waited = 0; waited < READY_MS; waited += 100) {
      if (this.#processes.hasEnded) break;
      const answer = await this.call("GET", "/readyz").catch(() => undefined);
      if (answer?.status === 200) return;
      await sleep(100);
    }
    const log = await readFile(this.#processes.logFile, "utf8").catch(() => "");
    const end = log.trimEnd().split("\n").slice(-3).join("\n");
    throw new NestError("local_cluster_failed", `the API server of the local cluster did not become ready:\n${end}`, {
      hint: `its log is ${this.#processes.logFile}`,
    });
  }

  async #startKubelet(): Promise<void> {
    const driver = createServer((connection) => this.#drive(connection));
    this.#driver = driver;
    await new Promise<void>((resolve) => driver.listen(0, "127.0.0.1", resolve));
    const { port: driverPort } = driver.address() as AddressInfo;
    // The server does not check the kubelet's certificate unless it is told to; its own will do.
    const [certificate, key] = ["apiserver.crt", "apiserver.key"].map((name) => this.#at("certificates", name));
    const words = [certificate ?? "", key ?? "", `127.0.0.1:${driverPort}`];
    const kubelet = this.#run(this.#options.programs["stub-kubelet"], words);
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

  #drive(connection: Socket): void {
    connection.on("error", () => {});
    readCall(connection, (call, stdin) => {
      const run = runOver(connection, call, stdin);
      const gone = new AbortController();
      connection.on("close", () => gone.abort());
      if (this.#containers === undefined) run.cut();
      else this.#containers(call, run, gone.signal);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#driver?.close();
    await this.#processes.end();
  }
}
