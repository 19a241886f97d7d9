import { once } from "node:events";
import type { HubMessage } from "@nest/protocol";
import { WebSocket } from "ws";

type Frame = Record<string, unknown> & { type: string };

/** A frame of our own hub, which gives every task a generation. */
type OfOurHub<Type extends HubMessage["type"]> = Extract<HubMessage, { type: Type }> &
  (Type extends "task_assign" ? { readonly task_gen: number } : unknown);

/** What a relay of this release announces, as far as the hub treats it differently for it. */
const THIS_RELEASE = {
  capabilities: { relay_capabilities: ["task_ack", "task_declined", "withheld_counts", "limits_left"] },
};

/** The fields by which a relay's frame names a task. */
export function of({ task_id, task_gen }: { readonly task_id: string; readonly task_gen: number }) {
  return { task_id, task_gen };
}

/** A relay that says exactly what a test tells it to, over a real socket. */
export class RawRelay {
  readonly socket: WebSocket;
  readonly #frames: Frame[] = [];
  readonly #waiting: { readonly type: string; readonly resolve: (frame: Frame) => void }[] = [];
  closed: Promise<{ code: number; reason: string }>;

  constructor(url: string, options: { readonly origin?: string } = {}) {
    this.socket = new WebSocket(url, options);
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.socket.on("error", () => {});
    this.socket.on("message", (data) => this.#take(JSON.parse(data.toString()) as Frame));
  }

  /** Connects and authenticates as a relay of this release, unless `extra` says otherwise. */
  static async join(url: string, token: string, extra: object = {}): Promise<RawRelay> {
    const relay = new RawRelay(url);
    await relay.next("auth_challenge");
    const declared = { cli_backend: "claude", model: "", ...THIS_RELEASE, ...extra };
    relay.send({ type: "auth_response", registration_token: token, ...declared });
    await relay.next("auth_ok");
    return relay;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** The next frame of a type, of those not asked for yet. */
  async next<Type extends HubMessage["type"]>(type: Type, withinMs = 5000): Promise<OfOurHub<Type>> {
    const at = this.#frames.findIndex((frame) => frame.type === type);
    if (at !== -1) return this.#frames.splice(at, 1)[0] as OfOurHub<Type>;
    return (await new Promise<Frame>((resolve, reject) => {
      const late = setTimeout(
        () =>
          reject(new Error(`no ${type} came (socket ${this.socket.readyState}); had: ${JSON.stringify(this.#frames)}`)),
        withinMs,
      );
      this.#waiting.push({
        type,
        resolve: (frame) => {
          clearTimeout(late);
          resolve(frame);
        },
      });
    })) as OfOurHub<Type>;
  }

  /** Frames of these types that came and were not asked for; the hub has answered everything sent before. */
  async pending(...types: string[]): Promise<Frame[]> {
    this.send({ type: "ping" });
    await this.next("pong");
    return this.unasked(...types);
  }

  /** Frames of these types that came until now and were not asked for. */
  unasked(...types: string[]): Frame[] {
    return this.#frames.filter((frame) => types.includes(frame.type));
  }

  async ready() {
    this.send({ type: "ready" });
    return this.next("task_assign");
  }

  async refused(): Promise<Extract<HubMessage, { type: "task_unavailable" }>> {
    this.send({ type: "ready" });
    return this.next("task_unavailable");
  }

  /** Cuts the connection without a goodbye. */
  async drop(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  async opened(): Promise<void> {
    if (this.socket.readyState !== this.socket.OPEN) await once(this.socket, "open");
  }

  #take(frame: Frame): void {
    const at = this.#waiting.findIndex((one) => one.type === frame.type);
    if (at === -1) this.#frames.push(frame);
    else this.#waiting.splice(at, 1)[0]?.resolve(frame);
  }
}
