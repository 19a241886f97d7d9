import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";

/** Told what happens on the wire. */
export interface TransportListener {
  received(data: RawData, isBinary: boolean): void;
  /** The peer answered a ping of the transport. */
  answered(): void;
  /** The wire is gone; nothing else follows. */
  ended(): void;
}

/** The wire to one relay, as a session uses it: keep-alive, handshake and back-pressure are tested without a socket. */
export interface Transport {
  readonly isOpen: boolean;
  /** Bytes that were sent and that the peer has not taken yet. */
  readonly bufferedAmount: number;
  sendFrame(frame: Buffer): void;
  ping(): void;
  close(code: number, reason: string): void;
  /** Cuts the wire without a goodbye. */
  terminate(): void;
}

const TEXT = { binary: false };

/**
 * A relay's WebSocket, which knows its session. Listeners are shared by all sockets, for ten thousand idle ones cost memory; what
 * is sent within one turn of the loop is one write.
 */
export class RelaySocket extends WebSocket implements Transport {
  listener: TransportListener | undefined;
  #stream: Duplex | undefined;
  #corked = false;

  /** Begins to tell `listener`; `stream` is what this socket writes to. */
  attach(listener: TransportListener, stream: Duplex): void {
    this.listener = listener;
    this.#stream = stream;
    this.on("message", onMessage);
    this.on("pong", onPong);
    this.on("close", onClose);
    this.on("error", onError);
  }

  get isOpen(): boolean {
    return this.readyState === this.OPEN;
  }

  sendFrame(frame: Buffer): void {
    if (!this.#corked && this.#stream !== undefined) {
      this.#corked = true;
      this.#stream.cork();
      process.nextTick(uncork, this);
    }
    this.send(frame, TEXT);
  }

  uncork(): void {
    this.#corked = false;
    this.#stream?.uncork();
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as RelaySocket).listener?.received(data, isBinary);
}

function onPong(this: WebSocket): void {
  (this as RelaySocket).listener?.answered();
}

function onClose(this: WebSocket): void {
  (this as RelaySocket).listener?.ended();
}

// ws closes the socket itself after a broken or oversized frame (1002, 1007, 1009).
function onError(): void {}

function uncork(socket: RelaySocket): void {
  socket.uncork();
}
