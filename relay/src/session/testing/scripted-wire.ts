import type { OpenWire, Wire, WireListener } from "../wire.ts";

/** A wire whose other end a test plays: it opens, speaks, falls silent and closes when told to. */
export class ScriptedWire implements Wire {
  state: Wire["state"] = "opening";
  bufferedAmount = 0;
  pings = 0;
  readonly sent: Record<string, unknown>[] = [];
  readonly closes: (readonly [code: number, reason: string])[] = [];
  readonly address: string;
  readonly #listener: WireListener;

  constructor(address: string, listener: WireListener) {
    this.address = address;
    this.#listener = listener;
  }

  /** Opens wires one after the other, and keeps each of them. */
  static opener(): { readonly open: OpenWire; readonly wires: ScriptedWire[] } {
    const wires: ScriptedWire[] = [];
    const open: OpenWire = (address, _withinMs, listener) => {
      const wire = new ScriptedWire(address, listener);
      wires.push(wire);
      return wire;
    };
    return { open, wires };
  }

  accept(): void {
    this.state = "open";
    this.#listener.opened();
  }

  /** The hub says something. */
  say(message: object): void {
    this.#listener.received(Buffer.from(JSON.stringify(message)), false);
  }

  sayBytes(bytes: Buffer): void {
    this.#listener.received(bytes, true);
  }

  /** The hub answers a ping of the transport. */
  pong(): void {
    this.#listener.pinged();
  }

  /** The wire is gone, as the other end says it. */
  drop(code = 1006, reason = ""): void {
    this.state = "closing";
    this.#listener.closed(code, reason);
  }

  send(text: string): Promise<boolean> {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
    return Promise.resolve(true);
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.state = "closing";
    this.closes.push([code, reason]);
  }

  terminate(): void {
    this.drop();
  }
}
