import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** Stands between a relay and its hub, passes every frame on, and keeps its text. */
export class WireTap implements AsyncDisposable {
  readonly toHub: string[] = [];
  readonly toRelay: string[] = [];
  readonly #server: Server = createServer();
  readonly #sockets = new Set<WebSocket>();

  /** `hub` is the hub's own WebSocket address. */
  static async start(hub: string): Promise<WireTap> {
    const tap = new WireTap();
    const relays = new WebSocketServer({ server: tap.#server });
    relays.on("connection", (relay) => tap.#join(relay, new WebSocket(hub)));
    await new Promise<void>((resolve) => tap.#server.listen(0, "127.0.0.1", resolve));
    return tap;
  }

  /** Where the relay goes in place of the hub. */
  get socket(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/contribute/ws`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(relay: WebSocket, hub: WebSocket): void {
    const early: string[] = [];
    for (const [from, to] of [[relay, hub] as const, [hub, relay] as const]) {
      this.#sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => to.close());
    }
    relay.on("message", (data) => {
      this.toHub.push(String(data));
      if (hub.readyState === WebSocket.OPEN) hub.send(String(data));
      else early.push(String(data));
    });
    hub.on("open", () => {
      for (const frame of early.splice(0)) hub.send(frame);
    });
    hub.on("message", (data) => {
      this.toRelay.push(String(data));
      relay.send(String(data));
    });
  }
}
