import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A frame as it came. */
export type Heard = Record<string, unknown> & { readonly type: string };

/** One relay at a raw hub. */
export class RelayVisit {
  readonly socket: WebSocket;
  readonly heard: Heard[] = [];
  /** Settles when the relay, or the test, has ended it. */
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.heard.push(JSON.parse(String(data)) as Heard));
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string | Buffer): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(text, () => undefined);
  }

  /** Challenges the relay and welcomes it, whatever it answers. */
  async welcome(more: object = {}): Promise<void> {
    this.send({ type: "auth_challenge", nonce: "00".repeat(16) });
    await this.hears("auth_response");
    this.send({
      type: "auth_ok",
      contributor_id: "c-of-the-hostile-hub",
      trust_tier: "newcomer",
      permissions: [],
      protocol_version: "1.2",
      server_capabilities: ["task_ack", "task_declined"],
      ...more,
    });
  }

  /** The first frame of a type; undefined when none came until the relay went or the time was up. */
  async hears(type: string, withinMs = 15_000): Promise<Heard | undefined> {
    const ends = performance.now() + withinMs;
    for (;;) {
      const found = this.heard.find((frame) => frame.type === type);
      const isGone = this.socket.readyState === this.socket.CLOSED;
      if (found !== undefined || isGone || performance.now() > ends) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  count(type: string): number {
    return this.heard.filter((frame) => frame.type === type).length;
  }
}

/** A WebSocket server that poses as a hub: to each relay that comes it does what the test says, and nothing else. */
export class RawHub implements AsyncDisposable {
  readonly visits: RelayVisit[] = [];
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(http: Server) {
    this.#http = http;
    http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(onRelay: (visit: RelayVisit) => unknown): Promise<RawHub> {
    const hub = await RawHub.#listening();
    const server = new WebSocketServer({ server: hub.#http });
    server.on("connection", (socket) => {
      const visit = new RelayVisit(socket);
      hub.visits.push(visit);
      void onRelay(visit);
    });
    return hub;
  }

  /** One that speaks plain bytes: what becomes of the upgrade is the test's. */
  static async ofBytes(onUpgrade: (socket: Socket) => void): Promise<RawHub> {
    const hub = await RawHub.#listening();
    hub.#http.on("upgrade", (_, socket) => {
      socket.on("error", () => undefined);
      onUpgrade(socket as Socket);
    });
    return hub;
  }

  static async #listening(): Promise<RawHub> {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return new RawHub(http);
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api/contribute/ws`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
