import { request as askPod, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { askHub, type Judgement } from "./ask-hub.ts";
import { type Door, doorFor } from "./doors.ts";

export interface EntranceDeps {
  /** The doors as the cluster has them now. */
  readonly doors: () => readonly Door[];
  /** Where the pod behind a door listens; undefined while none is ready. */
  readonly podOf: (door: Door) => { readonly host: string; readonly port: number } | undefined;
}

type Refusal = Exclude<Judgement, { readonly kind: "allowed" }>;

/** These belong to one connection and are not passed on. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "upgrade",
];

/**
 * The entrance of a local cluster, where an ingress controller stands in others: each request is judged by the hub's auth-check
 * as the Ingress objects say, and passed to the pod, WebSockets too. It listens on loopback alone; browsers know names below
 * `localhost` as this machine.
 */
export class Entrance implements AsyncDisposable {
  readonly #deps: EntranceDeps;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(deps: EntranceDeps) {
    this.#deps = deps;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket as Socket, head));
  }

  static async start(port: number, deps: EntranceDeps): Promise<Entrance> {
    const entrance = new Entrance(deps);
    await new Promise<void>((resolve, reject) =>
      entrance.#server.once("error", reject).listen(port, "127.0.0.1", resolve),
    );
    return entrance;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const door = this.#doorOf(request);
    if (door === undefined) return say(response, 404, "There is no nest at this address.");
    const judgement = await askHub(door, request);
    if (judgement.kind !== "allowed") return refuse(response, judgement);
    const pod = this.#deps.podOf(door);
    if (pod === undefined)
      return say(
        response,
        503,
        "The nest is paused, or not ready yet. Its page under My nests on the hub says which, and what it waits for.",
      );
    const { method, url } = request;
    const asked = askPod({ ...pod, method, path: url, headers: headersFor(request, judgement.headers) }, (answer) => {
      const cookies = [...(answer.headers["set-cookie"] ?? []), ...judgement.cookies];
      const headers = { ...withoutHops(answer.headers), ...(cookies.length === 0 ? {} : { "set-cookie": cookies }) };
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    asked.on("error", () => {
      if (response.headersSent) response.destroy();
      else say(response, 502, "The nest does not answer.");
    });
    response.on("close", () => asked.destroy());
    request.pipe(asked);
  }

  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.#keep(socket);
    const door = this.#doorOf(request);
    const judgement = door === undefined ? undefined : await askHub(door, request);
    if (door === undefined || judgement === undefined) return close(socket, 404);
    if (judgement.kind === "unanswered") return close(socket, 502);
    if (judgement.kind === "refused") return close(socket, judgement.status === 302 ? 401 : judgement.status);
    const pod = this.#deps.podOf(door);
    if (pod === undefined) return close(socket, 503);
    const headers = {
      ...headersFor(request, judgement.headers),
      connection: "upgrade",
      upgrade: request.headers.upgrade,
    };
    const asked = askPod({ ...pod, method: "GET", path: request.url, headers });
    asked.on("error", () => close(socket, 502));
    socket.on("close", () => asked.destroy());
    asked.on("response", (answer) => {
      answer.resume();
      close(socket, answer.statusCode ?? 502);
    });
    asked.on("upgrade", (answer, there, first) => {
      this.#keep(there);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${rawLines(answer.rawHeaders)}\r\n`);
      if (first.length > 0) socket.write(first);
      if (head.length > 0) there.write(head);
      socket.pipe(there).pipe(socket);
      socket.on("close", () => there.destroy());
      there.on("close", () => socket.destroy());
    });
    asked.end();
  }

  #doorOf({ headers, url = "/" }: IncomingMessage): Door | undefined {
    const host = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
    return doorFor(this.#deps.doors(), host, url.split(/[?#]/, 1)[0] ?? "/");
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** What the pod is told: the browser's headers, those of the hub's answer in place of what it sent under these names. */
function headersFor(request: IncomingMessage, judged: Readonly<Record<string, string | undefined>>) {
  const headers: Record<string, string | string[] | undefined> = { ...withoutHops(request.headers) };
  for (const [name, value] of Object.entries(judged)) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  for (const name of Object.keys(headers))
    if (name === "forwarded" || name.startsWith("x-forwarded-")) delete headers[name];
  const from = request.socket.remoteAddress ?? "";
  return { ...headers, "x-forwarded-for": from, "x-forwarded-proto": "http", "x-forwarded-host": request.headers.host };
}

function withoutHops(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  if (refusal.kind === "unanswered") return say(response, 502, "The hub does not answer, so nobody can be let in.");
  if (refusal.location !== undefined) {
    response.writeHead(302, { location: refusal.location, "cache-control": "no-store" }).end();
    return;
  }
  const words = refusal.status === 401 ? "Nobody is signed in." : "You have no role on this nest.";
  say(response, refusal.status, `${words} Open it from My nests on the hub.`);
}

function say(response: ServerResponse, status: number, words: string): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  response.writeHead(status, headers).end(`${words}\n`);
}

function close(socket: Socket, status: number): void {
  if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function rawLines(raw: readonly string[]): string {
  let lines = "";
  for (let at = 0; at + 1 < raw.length; at += 2) lines += `${raw[at]}: ${raw[at + 1]}\r\n`;
  return lines;
}
