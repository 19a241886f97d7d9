import { VirtualClock } from "@nest/kit";
import { Session, type SessionOwner } from "../session.ts";
import type { Transport } from "../transport.ts";

/** A transport whose other end is played by a test. */
export class FakeTransport implements Transport {
  isOpen = true;
  bufferedAmount = 0;
  pings = 0;
  isCut = false;
  readonly sent: Record<string, unknown>[] = [];
  readonly closes: (readonly [code: number, reason: string])[] = [];

  sendFrame(frame: Buffer): void {
    this.sent.push(JSON.parse(frame.toString()) as Record<string, unknown>);
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }

  terminate(): void {
    this.isCut = true;
    this.isOpen = false;
  }
}

/** A session over a fake transport, and the calls of its owner. */
export function aSession(nth = 0, clock = new VirtualClock()) {
  const told: string[] = [];
  const owner: SessionOwner = {
    heard: () => told.push("heard"),
    alive: () => told.push("alive"),
    ended: () => told.push("ended"),
  };
  const transport = new FakeTransport();
  const session = new Session(transport, owner, { connection: `conn-here-${nth}`, nonce: "n0", address: "::1" }, clock);
  session.nth = nth;
  return { session, transport, clock, told };
}
