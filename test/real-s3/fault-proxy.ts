import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the proxy does to a request instead of passing it on. */
export type Fault =
  | { readonly answer: number }
  /** Takes the request and never answers. */
  | { readonly stall: true }
  /** Passes the answer on with one byte changed. */
  | { readonly lie: true }
  /** Ends the connection in the middle of the answer. */
  | { readonly cut: true };

/** Stands before a storage and misbehaves on demand. Requests are signed for its own address, so the host is passed on as it came. */
export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: URL;
  /** Decides for each request; undefined passes it on. */
  fault: (method: string, url: string) => Fault | undefined = () => undefined;
  readonly seen: string[] = [];

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
  }

  static async start(target: string): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, new URL(target));
    server.on("request", (from, to) => proxy.#pass(from, to));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #pass(from: IncomingMessage, to: ServerResponse): void {
    const method = from.method ?? "GET";
    const url = from.url ?? "/";
    this.seen.push(`${method} ${url}`);
    const fault = this.fault(method, url);
    if (fault !== undefined && "answer" in fault) {
      from.resume();
      from.on("end", () => to.writeHead(fault.answer, { "content-length": 0 }).end());
      return;
    }
    if (fault !== undefined && "stall" in fault) {
      from.resume();
      return;
    }
    const options = { method, path: url, headers: from.headers, host: this.#target.hostname, port: this.#target.port };
    const passed = request(options, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      let sent = 0;
      answer.on("data", (piece: Buffer) => {
        if (fault !== undefined && "lie" in fault && sent === 0) piece[piece.length - 1] = (piece.at(-1) ?? 0) ^ 1;
        sent += piece.length;
        to.write(piece);
        if (fault !== undefined && "cut" in fault) to.destroy();
      });
      answer.on("end", () => to.end());
    });
    passed.on("error", () => to.destroy());
    from.pipe(passed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
