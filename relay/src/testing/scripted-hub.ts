import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type RelayMessage, readRelayFrame } from "@nest/protocol";
import { type WebSocket, WebSocketServer } from "ws";

/** A message as a test writes it. */
export type Said = Record<string, unknown> & { readonly type: string };

/** One relay's connection, seen from the hub: what came, and what to say. */
export class Visit {
  readonly heard: RelayMessage[] = [];
  /** The very text of every frame. */
  readonly frames: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();
  #read = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      const text = String(data);
      this.frames.push(text);
      const frame = readRelayFrame(text);
      if (frame.kind !== "message") throw new Error(`the relay sent a ${frame.kind} frame: ${text.slice(0, 200)}`);
      if (frame.message.type === "ping") this.say({ type: "pong" });
      else if (frame.message.type !== "pong") this.heard.push(frame.message);
      for (const wake of this.#waiting) wake();
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  say(message: Said): void {
    this.#socket.send(JSON.stringify(message));
  }

  sayText(text: string): void {
    this.#socket.send(text);
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** From now on neither reads nor answers, pings included. */
  freeze(): void {
    this.#socket.pause();
  }

  /** Cuts the connection without closing it. */
  cut(): void {
    this.#socket.terminate();
  }

  /** The next message of that type not yet taken; fails after `withinMs` with what came instead. */
  async next<Type extends RelayMessage["type"]>(
    type: Type,
    withinMs = 10_000,
  ): Promise<Extract<RelayMessage, { type: Type }>> {
    const ends = Date.now() + withinMs;
    for (;;) {
      const at = this.heard.findIndex((message, index) => index >= this.#read && message.type === type);
      if (at >= 0) {
        this.#read = at + 1;
        return this.heard[at] as Extract<RelayMessage, { type: Type }>;
      }
      const left = ends - Date.now();
      if (left <= 0) throw new Error(`no ${type} came; heard ${this.heard.map((message) => message.type).join(", ")}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left);
        const waiting = this.#waiting;
        function done() {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
  }

  /** How many messages of that type came so far. */
  count(type: RelayMessage["type"]): number {
    return this.heard.filter((message) => message.type === type).length;
  }
}

export interface HubManners {
  /** Additions the hub lists. */
  readonly capabilities?: readonly string[];
  /** Undefined when given as such: the hub states none. */
  readonly protocolVersion?: string | undefined;
  /** Additions the challenge lists. */
  readonly challenge?: readonly string[];
  /** Refuse instead of welcome. */
  readonly refuse?: Said;
  /** What the tier's credential may do. */
  readonly permissions?: readonly string[];
  /** Nothing is sent by itself. */
  readonly silent?: boolean;
}

/** A hub that does what the test says: it greets by itself, everything else is scripted. */
export class ScriptedHub {
  readonly nonce = "00112233445566778899aabbccddeeff";
  manners: HubManners;
  readonly visits: Visit[] = [];
  readonly #http: Server;
  readonly #arrivals: (() => void)[] = [];
  #taken = 0;

  private constructor(http: Server, manners: HubManners) {
    this.#http = http;
    this.manners = manners;
    const server = new WebSocketServer({ server: http, path: "/api/contribute/ws", maxPayload: 65536 });
    server.on("connection", (socket) => this.#arrive(new Visit(socket)));
  }

  static async start(manners: HubManners = {}): Promise<ScriptedHub> {
    const http = createServer();
    const hub = new ScriptedHub(http, manners);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return hub;
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.#http.address() as AddressInfo).port}/contribute`;
  }

  /** The next connection, authenticated when the hub greets by itself. */
  async visit(withinMs = 10_000): Promise<Visit> {
    const ends = Date.now() + withinMs;
    while (this.visits.length <= this.#taken) {
      if (Date.now() > ends) throw new Error("no relay came");
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        this.#arrivals.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    const visit = this.visits[this.#taken++];
    if (visit === undefined) throw new Error("no relay came");
    if (this.manners.silent !== true) await visit.next("auth_response");
    return visit;
  }

  async stop(): Promise<void> {
    for (const visit of this.visits) visit.cut();
    this.#http.closeAllConnections();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #arrive(visit: Visit): void {
    this.visits.push(visit);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    if (this.manners.silent === true) return;
    const { challenge } = this.manners;
    visit.say({
      type: "auth_challenge",
      seq: 1,
      nonce: this.nonce,
      ...(challenge === undefined ? {} : { server_capabilities: challenge }),
    });
    void this.#greet(visit, this.manners);
  }

  async #greet(visit: Visit, manners: HubManners): Promise<void> {
    while (!visit.heard.some((message) => message.type === "auth_response")) {
      if (visit.frames.length > 100) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const { refuse, capabilities = ["task_ack", "task_declined"], permissions = [] } = manners;
    const protocolVersion = "protocolVersion" in manners ? manners.protocolVersion : "1.2";
    visit.say(
      refuse ?? {
        type: "auth_ok",
        seq: 2,
        contributor_id: "c-0a1b2c3d4e5f",
        trust_tier: "newcomer",
        permissions,
        ...(protocolVersion === undefined ? {} : { protocol_version: protocolVersion }),
        server_capabilities: capabilities,
        connection_id: "n-1",
      },
    );
  }
}

/** A task as a hub hands it out. */
export function aTask(changes: Partial<Said> = {}): Said {
  return {
    type: "task_assign",
    seq: 9,
    task_id: "ct-acme/web-12-9f86d081",
    task_gen: 41,
    kind: "issue",
    repo: "acme/web",
    number: 12,
    title: "Links break in the footer",
    url: "https://github.com/acme/web/issues/12",
    labels: ["bug"],
    prompt: "Work on issue acme/web#12.",
    ...changes,
  };
}
