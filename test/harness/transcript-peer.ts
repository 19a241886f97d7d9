import type { WebSocket } from "ws";
import type { Bindings, Frame } from "./transcript.ts";

/** The other side's end of one connection of a transcript: says what it is told to, and hands out what ours said, in order. */
export class TranscriptPeer {
  readonly #socket: WebSocket;
  readonly #said: Frame[] = [];
  #wake: () => void = () => undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as Frame));
  }

  say(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** Why the next frame of ours is not the one expected, or that none came; undefined when it is. */
  async differs(expected: Frame, bindings: Bindings, withinMs: number): Promise<string | undefined> {
    const ends = performance.now() + withinMs;
    while (this.#said.length === 0) {
      const leftMs = ends - performance.now();
      if (leftMs <= 0) return "nothing came";
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    const actual = this.#said.shift() as Frame;
    const difference = bindings.difference(expected, actual);
    return difference === undefined ? undefined : `${difference}\n${JSON.stringify(actual)}`;
  }

  /** What ours said and nobody asked for. */
  get left(): readonly Frame[] {
    return this.#said;
  }

  #hear(frame: Frame): void {
    if (frame.type === "ping") this.say({ type: "pong" });
    else if (frame.type !== "pong") {
      this.#said.push(frame);
      this.#wake();
    }
  }
}
