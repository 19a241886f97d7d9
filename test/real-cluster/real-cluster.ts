import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer, BUILD_SERVER, type ContainerServer, NODE, portsLike, programsIn } from "@nest/local-cluster";
import type { ContainerProgram } from "../fakes/kubernetes/exec-socket.ts";

/** Marks a pod whose container is played by a function of the test; nothing runs for it. */
export const PLAYED = "nest.test/played";

/** The folder with the server's programs, or undefined with the reason printed; a failure where CI is set. */
export function realClusterFolder(): string | undefined {
  try {
    return execFileSync(BUILD_SERVER, ["-where"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    const required = process.env.CI === "true" && process.env.NEST_TEST_WITHOUT_REAL_CLUSTER !== "1";
    if (required) throw new Error(`the real cluster server is not built: run ${BUILD_SERVER}`);
    console.error(`skipped: tests against a real kube-apiserver (build it once with ${BUILD_SERVER})`);
    return undefined;
  }
}

/**
 * The API server of the local cluster in a folder of its own, gone with all its data at the end. Pods can be added whose container
 * a function of the test plays.
 */
export class RealCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #server: ApiServer;
  readonly #programs = new Map<string, ContainerProgram>();
  #containers: ContainerServer | undefined;

  private constructor(folder: string, server: ApiServer) {
    this.#folder = folder;
    this.#server = server;
    server.serveContainers((call, run, gone) => {
      const program = this.#programs.get(`${call.namespace}/${call.pod}`);
      if (program !== undefined) void program(run);
      else if (this.#containers === undefined) run.cut();
      else this.#containers(call, run, gone);
    });
  }

  static async start(programs: string, options: { readonly controllers?: boolean } = {}): Promise<RealCluster> {
    const folder = await mkdtemp(join(tmpdir(), "nest-real-cluster-"));
    try {
      const server = await ApiServer.start({
        programs: programsIn(programs),
        folder: join(folder, "server"),
        ports: await portsLike({}),
        controllers: options.controllers === true,
        isDurable: false,
        onEnd: (why) => console.error(`the real cluster: ${why}`),
      });
      return new RealCluster(folder, server);
    } catch (thrown) {
      await rm(folder, { recursive: true, force: true });
      throw thrown;
    }
  }

  /** A kubeconfig file for a bearer token; the administrator's by default. */
  kubeconfig(token?: string): Promise<string> {
    return this.#server.kubeconfig(token);
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
    await writeFile(join(folder, "ca.crt"), await this.authority());
    await writeFile(join(folder, "namespace"), namespace);
    return { root, environment: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(this.port) } };
  }

  /** Creates an object as the administrator; one that is there already stays. */
  create(path: string, object: object): Promise<void> {
    return this.#server.create(path, object);
  }

  /** A bearer token for a service account. */
  tokenOf(namespace: string, account: string): Promise<string> {
    return this.#server.tokenOf(namespace, account);
  }

  async addNamespace(name: string): Promise<void> {
    await this.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  /** The port of the API server on loopback. */
  get port(): number {
    return this.#server.port;
  }

  /** The certificate that the API server is known by. */
  authority(): Promise<Buffer> {
    return this.#server.authority();
  }

  /** Who serves exec and logs of the pods that no function of a test plays. */
  serveContainers(serve: ContainerServer): void {
    this.#containers = serve;
  }

  /** A pod bound to the node, with its container's program. */
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

  call(method: string, path: string, body?: object, type?: string): Promise<{ status: number; text: string }> {
    return this.#server.call(method, path, body, type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
