import type { RawData, WebSocket } from "ws";
import { outputFrame, preferencesFrame, readViewerFrame, titleFrame } from "./frames.ts";
import type { Pty } from "./pty.ts";

/** Output that waits for a slow viewer: above the one the terminal is not read any more, below the other it is again. */
const MOST_UNSENT_BYTES = 1024 * 1024;
const RESUME_BELOW_BYTES = 256 * 1024;
/** What a viewer may type or paste within a second. */
const MOST_INPUT_BYTES = 2 * 1024 * 1024;
const INPUT_WINDOW_MS = 1000;

export interface ViewingDeps {
  readonly socket: WebSocket;
  readonly title: string;
  readonly isReadOnly: boolean;
  readonly now: () => number;
}

/**
 * One viewer at one terminal. Memory is bounded on both sides: a viewer that does not keep up makes the terminal wait, never the
 * agent, whose multiplexer draws the newest screen for it later. Input of a reader ends here, whatever its page thinks.
 */
export class Viewing {
  readonly #deps: ViewingDeps;
  #pty: Pty | undefined;
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #unsentBytes = 0;
  #isBehind = false;
  #isHeldByViewer = false;
  #isHeld = false;
  #input = { from: 0, bytes: 0 };

  constructor(deps: ViewingDeps) {
    this.#deps = deps;
    const { socket } = deps;
    socket.on("message", (data) => this.#receive(bytesOf(data)));
    socket.on("close", () => this.#pty?.close());
    // The connection broke, or a frame was none: `close` follows.
    socket.on("error", () => undefined);
  }

  /** Shows a terminal to the viewer, from now until either of them ends. */
  show(pty: Pty): void {
    const { socket, title, isReadOnly } = this.#deps;
    this.#pty = pty;
    if (socket.readyState !== socket.OPEN) return pty.close();
    socket.send(titleFrame(title));
    socket.send(preferencesFrame(isReadOnly));
    pty.onOutput((bytes) => this.#send(bytes));
    pty.onExit(() => socket.close(1000, "the session ended"));
    if (this.#size !== undefined) pty.resize(this.#size.columns, this.#size.rows);
    this.#pace();
  }

  #send(bytes: Buffer): void {
    this.#unsentBytes += bytes.length;
    this.#deps.socket.send(outputFrame(bytes), { binary: true }, () => {
      this.#unsentBytes -= bytes.length;
      this.#pace();
    });
    this.#pace();
  }

  #receive(bytes: Buffer): void {
    const frame = readViewerFrame(bytes);
    switch (frame.kind) {
      case "input":
        if (!this.#deps.isReadOnly && this.#mayType(frame.bytes.length)) this.#pty?.write(frame.bytes);
        return;
      case "resize":
        this.#size = frame;
        this.#pty?.resize(frame.columns, frame.rows);
        return;
      case "pause":
      case "resume":
        this.#isHeldByViewer = frame.kind === "pause";
        this.#pace();
        return;
      case "unknown":
        return;
    }
  }

  #mayType(bytes: number): boolean {
    const now = this.#deps.now();
    if (now - this.#input.from >= INPUT_WINDOW_MS) this.#input = { from: now, bytes: 0 };
    this.#input.bytes += bytes;
    if (this.#input.bytes <= MOST_INPUT_BYTES) return true;
    this.#deps.socket.close(1009, "too much input at once");
    return false;
  }

  #pace(): void {
    if (this.#unsentBytes > MOST_UNSENT_BYTES) this.#isBehind = true;
    else if (this.#unsentBytes < RESUME_BELOW_BYTES) this.#isBehind = false;
    const isHeld = this.#isBehind || this.#isHeldByViewer;
    if (this.#pty === undefined || isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    if (isHeld) this.#pty.pause();
    else this.#pty.resume();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
