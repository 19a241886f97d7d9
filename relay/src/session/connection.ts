import type { CancelTimer, Clock } from "@nest/kit";
import { closeCodes, type HubMessage, type RelayMessage, readHubFrame } from "@nest/protocol";
import type { RawData } from "ws";
import { Allowance } from "./allowance.ts";
import { frameText, type Redaction } from "./outgoing.ts";
import type { OpenWire, Wire } from "./wire.ts";

/** A peer that does not answer a close is cut after this. */
const CLOSE_ANSWER_MS = 2000;
/** After three pings without a sign of life the peer counts as gone. */
const SILENT_PINGS = 3;

/** Rate limit for a hub's frames: normally a few a minute, and after a reconnect one for each report. */
const FRAMES = { atOnce: 1000, perSecond: 20 };
/** How many ignored frames of a connection are logged: a hub must not fill the log. */
const IGNORED_TOLD = 5;
/** The most bytes that may wait for a hub to read them: several replayed reports of full size. */
const MOST_UNREAD_BYTES = 1024 * 1024;

export interface ConnectionDeps {
  readonly openWire: OpenWire;
  readonly clock: Clock;
  readonly redaction: Redaction;
  readonly pingMs: number;
  readonly openWithinMs: number;
  readonly onMessage: (message: HubMessage) => void;
  /** Called with the reason when a frame is ignored. */
  readonly onIgnored: (why: string) => void;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

/**
 * One socket to one hub: sends and receives frames, watches whether the hub is alive, enforces limits. It does not interpret
 * the messages.
 */
export class Connection {
  /** Settles once, when the socket is gone. Never rejects. */
  readonly closed: Promise<Closed>;
  readonly #wire: Wire;
  readonly #deps: ConnectionDeps;
  readonly #timers: CancelTimer[] = [];
  readonly #frames: Allowance;
  #ignored = 0;
  #closing = false;
  #seq = 0;
  #lastSign: number;
  #failure: string | undefined;
  /** The hub's own limit on frames, once it said one. */
  hubLimit: number | undefined;

  constructor(address: string, deps: ConnectionDeps) {
    this.#deps = deps;
    this.#lastSign = deps.clock.now();
    this.#frames = new Allowance(FRAMES, deps.clock);
    // The bundled relay also runs on Node 20, which has no Promise.withResolvers.
    let resolve: (closed: Closed) => void = () => {};
    this.closed = new Promise((settle) => {
      resolve = settle;
    });
    this.#wire = deps.openWire(address, deps.openWithinMs, {
      opened: () => {
        this.#sawLife();
        this.#timers.push(deps.clock.every(deps.pingMs, () => this.#beat()));
      },
      received: (data, isBinary) => this.#read(data, isBinary),
      pinged: () => {
        if (!this.#isTooMuch()) this.#sawLife();
      },
      failed: (error) => {
        this.#failure ??= wordsOf(error);
      },
      closed: (code, reason) => {
        for (const cancel of this.#timers) cancel();
        this.#closing = true;
        resolve({ code, reason: this.#failure ?? reason });
      },
    });
  }

  get isOpen(): boolean {
    return this.#wire.state === "open";
  }

  /** Sends one message; false when the socket is not open, or the frame could not be handed to the system. */
  send(message: RelayMessage): Promise<boolean> {
    if (!this.isOpen) return Promise.resolve(false);
    if (this.#isUnread()) return Promise.resolve(false);
    this.#seq += 1;
    const text = frameText(message, message.type === "pong" ? (message.seq ?? this.#seq) : this.#seq, {
      redaction: this.#deps.redaction,
      hubLimit: this.hubLimit,
    });
    return this.#wire.send(text);
  }

  /** Closes in order; cuts the socket when the peer does not answer within 2 s. */
  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#wire.state === "opening") {
      this.#wire.terminate();
      return;
    }
    this.#wire.close(code, reason);
    this.#timers.push(this.#deps.clock.after(CLOSE_ANSWER_MS, () => this.#wire.terminate()));
  }

  #read(data: RawData, isBinary: boolean): void {
    if (this.#isTooMuch()) return;
    this.#sawLife();
    if (isBinary) {
      this.#passOver("a binary frame");
      return;
    }
    const frame = readHubFrame(String(data));
    if (frame.kind !== "message") {
      this.#passOver(frame.kind === "unknown" ? `unknown type ${frame.type}` : `malformed frame: ${frame.because}`);
      return;
    }
    if (frame.message.type === "ping") {
      void this.send({ type: "pong", ...(frame.message.seq === undefined ? {} : { seq: frame.message.seq }) });
      return;
    }
    if (frame.message.type !== "pong") this.#deps.onMessage(frame.message);
  }

  /** Counts a frame, and ends the connection when the hub sends too many. Pings count, because each is answered. */
  #isTooMuch(): boolean {
    if (this.#isUnread() || this.#closing) return true;
    if (this.#frames.take()) return false;
    this.#failure ??= "the hub sends too many frames";
    this.close(closeCodes.policy, "too many frames");
    return true;
  }

  /** Ends the connection when the hub does not read what it is sent, before that fills the memory. */
  #isUnread(): boolean {
    if (this.#wire.bufferedAmount <= MOST_UNREAD_BYTES) return false;
    this.#failure ??= "the hub does not read";
    this.#wire.terminate();
    return true;
  }

  #passOver(why: string): void {
    this.#ignored += 1;
    if (this.#ignored <= IGNORED_TOLD) this.#deps.onIgnored(why);
    if (this.#ignored === IGNORED_TOLD) this.#deps.onIgnored("and there may be more: they are not told any more");
  }

  #sawLife(): void {
    this.#lastSign = this.#deps.clock.now();
  }

  #beat(): void {
    const silentMs = this.#deps.clock.now() - this.#lastSign;
    if (silentMs >= this.#deps.pingMs * SILENT_PINGS) {
      this.#failure ??= `silent for ${Math.round(silentMs / 1000)} s`;
      this.close(closeCodes.silent, "silent peer");
      return;
    }
    void this.send({ type: "ping" });
    if (this.isOpen) this.#wire.ping();
  }
}

/** A failure of the socket in words; what TLS says to a port that does not speak it is told as what it means. */
function wordsOf({ message }: Error): string {
  if (/wrong version number|packet length too long|unknown protocol/i.test(message))
    return "the hub does not speak TLS there: ws:// or http:// in place of wss:// or https://?";
  return message;
}
