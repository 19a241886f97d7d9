import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";

/** Receives the events of a transport. */
export interface TransportListener {
  received(data: RawData, isBinary: boolean): void;
  /** The peer answered a WebSocket ping. */
  answered(): void;
  /** The connection is closed; no other event follows. */
  ended(): void;
}

/**
 * The connection to one relay, as a session uses it. Tests of keep-alive, handshake and back-pressure use one without a
 * socket.
 */
export interface Transport {
  readonly isOpen: boolean;
  /** Bytes sent that the peer has not received yet. */
  readonly bufferedAmount: number;
  sendFrame(frame: Buffer): void;
  ping(): void;
  close(code: number, reason: string): void;
  /** Ends the connection without a close frame. */
  terminate(): void;
}

const TEXT = { binary: false };

/**
 * A relay's WebSocket with its listener. All sockets share the event handlers, because ten thousand idle sockets would
 * otherwise cost memory. Frames sent in one turn of the event loop are one write.
 */
export class RelaySocket extends WebSocket implements Transport {
  listener: TransportListener | undefined;
  #stream: Duplex | undefined;
  #corked = false;

  /** Sets the listener; `stream` is the stream that this socket writes to. */
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
