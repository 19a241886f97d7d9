import { PAUSE, RESUME, readServerFrame, type ServerFrame } from "./wire.ts";

/** How a connection stands, in words for the person in front of it. */
export type ConnectionState =
  | { readonly kind: "connecting" | "open" }
  /** It comes back by itself at `retryAt`. */
  | { readonly kind: "lost"; readonly retryAt: number }
  /** It does not come back: nothing here would change that. */
  | { readonly kind: "refused"; readonly because: "signed-out" | "forbidden" | "gone" };

export interface ConnectionEvents {
  readonly onState: (state: ConnectionState) => void;
  readonly onFrame: (frame: ServerFrame) => void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
/** A connection that held this long was a good one: the next loss is met at once. */
const GOOD_MS = 10_000;
/** Output that is not drawn yet: above the one the server is asked to wait, below the other to go on. */
const MOST_UNDRAWN = 512 * 1024;
const RESUME_BELOW = 128 * 1024;

/** A socket to one agent's terminal that comes back when it is lost, ever later, until it is refused. */
export class TerminalConnection {
  readonly #events: ConnectionEvents;
  readonly #address: string;
  #socket: WebSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #waitMs = FIRST_WAIT_MS;
  #undrawn = 0;
  #isHeld = false;

  constructor(address: string, events: ConnectionEvents) {
    this.#address = address;
    this.#events = events;
  }

  /** Connects, now. */
  open(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const socket = new WebSocket(this.#address, "tty");
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#undrawn = 0;
    this.#isHeld = false;
    this.#events.onState({ kind: "connecting" });
    let openedAt: number | undefined;
    socket.onopen = () => {
      openedAt = performance.now();
      this.#events.onState({ kind: "open" });
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) =>
      this.#events.onFrame(readServerFrame(new Uint8Array(data)));
    socket.onclose = () => {
      if (openedAt !== undefined && performance.now() - openedAt > GOOD_MS) this.#waitMs = FIRST_WAIT_MS;
      void this.#lost();
    };
  }

  /** Tries at once where it waits to try again. */
  hurry(): void {
    if (this.#retry !== undefined) this.open();
  }

  send(frame: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  /** Counts output that waits to be drawn; the function that it answers with says that it was. */
  hold(bytes: number): () => void {
    const socket = this.#socket;
    this.#undrawn += bytes;
    this.#pace();
    return () => {
      if (socket !== this.#socket) return;
      this.#undrawn -= bytes;
      this.#pace();
    };
  }

  #pace(): void {
    const isHeld = this.#undrawn > MOST_UNDRAWN || (this.#isHeld && this.#undrawn > RESUME_BELOW);
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.send(isHeld ? PAUSE : RESUME);
  }

  async #lost(): Promise<void> {
    const because = await refusal();
    if (because !== undefined) return this.#events.onState({ kind: "refused", because });
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    this.#events.onState({ kind: "lost", retryAt: Date.now() + waitMs });
    this.#retry = setTimeout(() => this.open(), waitMs);
  }
}

/** Why this page would not be shown any more; a socket that is refused says nothing of that to scripts. */
async function refusal(): Promise<"signed-out" | "forbidden" | "gone" | undefined> {
  try {
    const { status } = await fetch(location.href, { method: "HEAD", redirect: "manual" });
    if (status === 401) return "signed-out";
    if (status === 403) return "forbidden";
    return status === 404 ? "gone" : undefined;
  } catch {
    return undefined;
  }
}
