import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { acceptExec, type ContainerProgram } from "./exec-socket.ts";

/**
 * A small Kubernetes API server: Secrets by name, pods, exec. It knows one token and, for each path, whether it is forbidden; it
 * has no admission, no defaults, no watch; those are tested on a real one (test/real-cluster).
 */
export class FakeApiServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #folder: string;
  readonly #objects = new Map<string, object>();
  readonly #programs = new Map<string, ContainerProgram>();
  readonly #forbidden = new Set<string>();
  /** Every request that came, as `GET /path`. */
  readonly calls: string[] = [];

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    const fake = new FakeApiServer(server, await mkdtemp(join(tmpdir(), "nest-fake-cluster-")));
    server.on("request", (request, response) => fake.#answer(request, response));
    server.on("upgrade", (request, socket, head) => fake.#exec(request, socket, head));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await writeFile(fake.kubeconfig, fake.#kubeconfigText(), { mode: 0o600 });
    return fake;
  }

  /** A kubeconfig file with one context, `fake`. */
  get kubeconfig(): string {
    return join(this.#folder, "kubeconfig");
  }

  addSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): void {
    const metadata = {
      name,
      namespace,
      uid: "0b5c0d9e",
      resourceVersion: "42",
      creationTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [{ manager: "test" }],
      labels: { app: "nest" },
    };
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    this.#objects.set(path, { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data });
  }

  addPod(namespace: string, name: string, phase: string, program: ContainerProgram): void {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const spec = { containers: [{ name: "nest", image: "nest" }] };
    this.#objects.set(path, { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, spec, status: { phase } });
    this.#programs.set(path, program);
  }

  /** Answers 403 to whatever begins with this path. */
  forbid(path: string): void {
    this.#forbidden.add(path);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    this.calls.push(`${request.method} ${path}`);
    const fault = this.#faultOf(request, path);
    if (fault !== undefined) return send(response, fault, status(fault));
    const object = this.#objects.get(path);
    if (object !== undefined) return send(response, 200, object);
    if (!path.endsWith("/pods")) return send(response, 404, status(404));
    const items = [...this.#objects].filter(([key]) => key.startsWith(`${path}/`)).map(([, item]) => item);
    send(response, 200, { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "42" }, items });
  }

  #exec(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    this.calls.push(`EXEC ${path}`);
    const program = this.#programs.get(path.replace(/\/exec$/, ""));
    const fault = this.#faultOf(request, path) ?? (program === undefined ? 404 : undefined);
    if (fault === undefined && program !== undefined) return acceptExec(request, socket, head, program);
    socket.end(`HTTP/1.1 ${fault} refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  }

  #faultOf(request: IncomingMessage, path: string): number | undefined {
    if (request.headers.authorization !== "Bearer fake-token") return 401;
    return [...this.#forbidden].some((start) => path.startsWith(start)) ? 403 : undefined;
  }

  #kubeconfigText(): string {
    const { port } = this.#server.address() as AddressInfo;
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fake",
      clusters: [{ name: "fake", cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
      users: [{ name: "fake", user: { token: "fake-token" } }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "fake" } }],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function status(code: number): object {
  return { apiVersion: "v1", kind: "Status", status: "Failure", code, message: `status ${code}`, metadata: {} };
}
