import { MAX_FRAME_BYTES } from "@nest/protocol";
import { type RawData, WebSocket } from "ws";

export interface WireListener {
  opened(): void;
  received(data: RawData, isBinary: boolean): void;
  /** The peer sent a ping of the transport, or answered one. */
  pinged(): void;
  failed(error: Error): void;
  /** The wire is gone; nothing else follows. */
  closed(code: number, reason: string): void;
}

/** The wire to one hub, as a connection uses it: keep-alive, handshake and back-pressure are tested without a socket. */
export interface Wire {
  readonly state: "opening" | "open" | "closing";
  /** Bytes that were sent and that the peer has not taken yet. */
  readonly bufferedAmount: number;
  /** Resolves with whether the frame was handed to the system. */
  send(text: string): Promise<boolean>;
  ping(): void;
  close(code: number, reason: string): void;
  /** Cuts the wire without a goodbye. */
  terminate(): void;
}

/** Opens a wire to an address, and gives up when that takes longer than `withinMs`. */
export type OpenWire = (address: string, withinMs: number, listener: WireListener) => Wire;

export const openWebSocket: OpenWire = (address, withinMs, listener) => {
  const socket = new WebSocket(address, {
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: withinMs,
    perMessageDeflate: false,
    // A fragment costs far more memory than its bytes, and no honest hub splits a message into many.
    maxFragments: 16,
  });
  socket.on("open", () => listener.opened());
  socket.on("message", (data, isBinary) => listener.received(data, isBinary));
  for (const sign of ["ping", "pong"] as const) socket.on(sign, () => listener.pinged());
  socket.on("error", (error) => listener.failed(error));
  socket.on("close", (code, reason) => listener.closed(code, reason.toString("utf8")));
  return {
    get state() {
      if (socket.readyState === WebSocket.CONNECTING) return "opening";
      return socket.readyState === WebSocket.OPEN ? "open" : "closing";
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    send: (text) =>
      new Promise((resolve) => socket.send(text, (error) => resolve(error === undefined || error === null))),
    ping: () => socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
};
