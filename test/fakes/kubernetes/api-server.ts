import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { KubernetesObject } from "@nest/cluster";
import { MemoryObjects } from "@nest/cluster/memory-objects";
import { acceptExec, type ContainerProgram } from "./exec-socket.ts";
import { KINDS, placeIn, ROUTE, resourceList, type ServedKind } from "./kinds.ts";
import { answerOf, bodyOf, refusal, serveWatch } from "./objects.ts";
import { Watches } from "./watches.ts";

/** What the server does instead of answering. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** Takes the request and is silent. */
  | "hang"
  /** Breaks the connection. */
  | "reset"
  /** Answers with more than anybody wants to read. */
  | "endless";

/**
 * A small Kubernetes API server: discovery, objects by server-side apply, lists in pages, watches, exec over WebSocket. It knows one token and,
 * for each path, whether it is forbidden; it has no admission, no defaults and no controllers; those are tested on a real one
 * (test/real-cluster).
 */
export class FakeApiServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #folder: string;
  readonly #programs = new Map<string, ContainerProgram>();
  readonly #forbidden = new Set<string>();
  readonly #faults: { readonly start: string; readonly fault: Fault; left: number }[] = [];
  #kinds: readonly ServedKind[] = KINDS;
  readonly watches = new Watches();
  readonly objects = new MemoryObjects((change) => this.watches.note(change));
  /** Every request that came, as `GET /path`. */
  readonly calls: string[] = [];
  /** Refuses WebSockets with this status, as servers and proxies do that have none for exec. */
  withoutSockets: number | undefined;
  /** How many watches were opened in all. */
  watchesServed = 0;
  /** The token that is accepted. */
  token = "fake-token";

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    const fake = new FakeApiServer(server, await mkdtemp(join(tmpdir(), "nest-fake-cluster-")));
    server.on("request", (request, response) => void fake.#answer(request, response));
    server.on("upgrade", (request, socket, head) => fake.#exec(request, socket, head));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await fake.writeKubeconfig();
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A kubeconfig file with one context, `fake`. */
  get kubeconfig(): string {
    return join(this.#folder, "kubeconfig");
  }

  /** Writes the kubeconfig with the token that is accepted now, or with another user. */
  async writeKubeconfig(user: object = { token: this.token }): Promise<void> {
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fake",
      clusters: [{ name: "fake", cluster: { server: this.url, "insecure-skip-tls-verify": true } }],
      users: [{ name: "fake", user }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "fake" } }],
    };
    await writeFile(this.kubeconfig, JSON.stringify(config), { mode: 0o600 });
  }

  addNamespace(name: string): void {
    this.objects.put({ apiVersion: "v1", kind: "Namespace", metadata: { name }, status: { phase: "Active" } });
  }

  addSecret(namespace: string, name: string, data: Readonly<Record<string, string>>): void {
    const metadata = { name, namespace, managedFields: [{ manager: "test" }], labels: { app: "nest" } };
    this.objects.put({ apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data });
  }

  addPod(namespace: string, name: string, phase: string, program: ContainerProgram): void {
    const spec = { containers: [{ name: "nest", image: "nest" }] };
    const pod: KubernetesObject = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace } };
    this.objects.put({ ...pod, spec, status: { phase } });
    this.#programs.set(`/api/v1/namespaces/${namespace}/pods/${name}`, program);
  }

  /** Installs the kind `Route`, as an operator installs an extension. */
  addRoutes(): void {
    this.#kinds = [...KINDS, ROUTE];
  }

  /** Answers 403 to whatever begins with this path. */
  forbid(path: string): void {
    this.#forbidden.add(path);
  }

  /** Lets the next `times` calls that begin so (`GET /api/v1/`) meet a fault. */
  fail(start: string, fault: Fault, times = 1): void {
    this.#faults.push({ start, fault, left: times });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://cluster");
    this.calls.push(`${request.method} ${path}`);
    const fault = this.#faults.find(
      ({ start, left }) => left > 0 && `${request.method} ${request.url}`.startsWith(start),
    );
    if (fault !== undefined) {
      fault.left -= 1;
      return misbehave(response, fault.fault);
    }
    const refused = this.#refusalOf(request, path);
    if (refused !== undefined) return send(response, refused, refusal(refused).body);
    if (path === "/version") return send(response, 200, { gitVersion: "v1.36.3" });
    const discovered = resourceList(path, this.#kinds);
    if (discovered !== undefined) return send(response, 200, discovered);
    const place = placeIn(path, this.#kinds);
    if (place === undefined) return send(response, 404, refusal(404, "404 page not found").body);
    if (query.get("watch") === "true") {
      this.watchesServed += 1;
      return serveWatch(this.watches, place, query, response);
    }
    const call = { method: request.method ?? "GET", place, query, body: await bodyOf(request) };
    const { code, body } = answerOf(this.objects, call);
    send(response, code, body);
  }

  #exec(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    this.calls.push(`EXEC ${path} ${request.headers.upgrade}`);
    const program = this.#programs.get(path.replace(/\/exec$/, ""));
    const isSocket = request.headers.upgrade === "websocket";
    const unable = isSocket ? this.withoutSockets : 501;
    const fault = this.#refusalOf(request, path) ?? (program === undefined ? 404 : unable);
    if (fault === undefined && program !== undefined) return acceptExec(request, socket, head, program);
    socket.end(`HTTP/1.1 ${fault} refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  }

  #refusalOf(request: IncomingMessage, path: string): number | undefined {
    if (request.headers.authorization !== `Bearer ${this.token}`) return 401;
    return [...this.#forbidden].some((start) => path.startsWith(start)) ? 403 : undefined;
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

function misbehave(response: ServerResponse, fault: Fault): void {
  if (fault === "hang") return;
  if (fault === "reset") return void response.destroy();
  if (fault === "endless") {
    const pour = () => {
      if (response.destroyed) return;
      if (response.write(Buffer.alloc(1024 * 1024, " "))) setImmediate(pour);
      else response.once("drain", pour);
    };
    response.writeHead(200, { "content-type": "application/json" });
    return pour();
  }
  response.writeHead(fault.status, fault.headers).end(fault.body ?? JSON.stringify(refusal(fault.status).body));
}
