import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { connectionId } from "@nest/dispatch";
import type { Clock, Log, Random } from "@nest/kit";
import {
  closeCodes,
  type Frame,
  MAX_FRAME_BYTES,
  type RelayMessage,
  readRelayFrame,
  type TransportTimes,
} from "@nest/protocol";
import { type RawData, WebSocketServer } from "ws";
import type { Accepted } from "./authenticate.ts";
import type { ConnectedRelays } from "./connected-relays.ts";
import type { Conversation } from "./conversation.ts";
import type { Entrance, EntranceListener } from "./entrance.ts";
import { countMalformed, mayBeRead } from "./frame-limits.ts";
import { keepAlive } from "./keep-alive.ts";
import type { OtherReplicas } from "./other-replicas.ts";
import { PreAuthLimiter } from "./pre-auth-limiter.ts";
import type { Presence } from "./presence.ts";
import type { Probes } from "./probes.ts";
import type { Roster } from "./roster.ts";
import { Session, type SessionOwner } from "./session.ts";
import { RelaySocket } from "./transport.ts";
import type { WaitingRelays } from "./waiting-relays.ts";

/** Maximum number of fragments in a message: each costs far more than its bytes, and relays send few. */
const MOST_FRAGMENTS = 16;

export interface GatewayDeps {
  /** This replica's id, eight hexadecimal digits; part of the id of every connection. */
  readonly replica: string;
  readonly roster: Roster;
  readonly relays: ConnectedRelays;
  readonly probes: Probes;
  readonly otherReplicas: OtherReplicas;
  readonly entrance: Entrance;
  readonly conversation: Conversation;
  readonly waiting: WaitingRelays;
  readonly presence: Presence;
  /** The hub's capabilities, as it announces them. */
  readonly capabilities: string[];
  /** Rate limiter for addresses that send invalid tokens. */
  readonly wrongTokens: { count(address: string): number; waitMs(address: string): number };
  /** Whether the Host header of an upgrade names this hub. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  /** The client's address of an upgrade. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: TransportTimes;
  readonly log: Log;
}

export interface GatewayCounts {
  malformed: number;
  refused: number;
  frames: number;
}

/** Serves the relays' WebSockets: accepts upgrades, sends challenges, reads frames and passes on the messages. */
export class Gateway implements SessionOwner, EntranceListener {
  readonly #deps: GatewayDeps;
  readonly #server = new WebSocketServer({
    WebSocket: RelaySocket,
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    maxFragments: MOST_FRAGMENTS,
    clientTracking: false,
  });
  readonly #limiter: PreAuthLimiter;
  readonly counts: GatewayCounts = { malformed: 0, refused: 0, frames: 0 };
  #nextConnection = 1;
  readonly #stopPings: () => void;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#limiter = new PreAuthLimiter(deps);
    this.#stopPings = keepAlive(() => deps.roster.all(), deps.clock, deps.transport);
  }

  /** Serves the WebSocket upgrades of this server. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Every authenticated session. */
  sessions(): IterableIterator<Session> {
    return this.#deps.roster.all();
  }

  get connected(): number {
    return this.#deps.roster.size;
  }

  /** The contributors who have a connection here, and how many they are. */
  contributorIds(): Iterable<string> {
    return this.#deps.roster.contributorIds();
  }

  get contributors(): number {
    return this.#deps.roster.contributors;
  }

  /** Number of connections rejected before authentication. */
  get turnedAway(): number {
    return this.#limiter.turnedAway;
  }

  session(connection: string): Session | undefined {
    return this.#deps.roster.get(connection);
  }

  /** Closes every connection before a stop. The relays reconnect by themselves, and their leases are kept. */
  drain(): void {
    this.#limiter.isClosed = true;
    this.#stopPings();
    this.#deps.presence.stop();
    this.#deps.waiting.stop();
    for (const session of [...this.#limiter.waiting(), ...this.#deps.roster.all()])
      session.close(closeCodes.restarting, "hub restarting");
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = this.#limiter.admit(request, socket);
    if (address === undefined) return;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#challenge(webSocket, socket, address));
  }

  #challenge(socket: RelaySocket, stream: Duplex, address: string): void {
    const { clock, random, replica, transport, capabilities } = this.#deps;
    const nth = this.#nextConnection++;
    const opened = { connection: connectionId(replica, nth), nonce: random.hex(16), address };
    const session = new Session(socket, this, opened, clock);
    session.nth = nth;
    socket.attach(session, stream);
    this.#limiter.enter(session);
    session.cancelAuthDeadline = clock.after(transport.authDeadlineMs, () => session.refuse("authentication timeout"));
    session.send({ type: "auth_challenge", nonce: session.nonce, server_capabilities: capabilities });
  }

  /** Admits a relay that has authenticated, and pings older connections with the same session name. */
  admit(session: Session, accepted: Accepted, now: number): void {
    const { roster, relays, probes, otherReplicas, conversation } = this.#deps;
    session.cancelAuthDeadline?.();
    session.cancelAuthDeadline = undefined;
    this.#limiter.leave(session);
    session.nonce = "";
    session.address = "";
    const older = roster.ofIdentity(accepted.identity);
    relays.join(session, accepted, now);
    otherReplicas.joined(accepted.identity);
    if (older.length > 0) conversation.holdBack(session, Promise.all(older.map((one) => probes.ask(one))));
  }

  /** Counts a refused relay. */
  refused(): void {
    this.counts.refused += 1;
  }

  /** Handles a frame. */
  heard(session: Session, data: RawData, isBinary: boolean): void {
    if (session.closed) return;
    const { clock, entrance, conversation, wrongTokens } = this.#deps;
    const now = clock.now();
    session.unanswered = 0;
    this.counts.frames += 1;
    if (!mayBeRead(session, bytesOf(data), now, wrongTokens)) return;
    const frame = isBinary ? ({ kind: "malformed", because: "binary" } as const) : readRelayFrame(data.toString());
    if (frame.kind === "unknown") return;
    if (frame.kind === "malformed") return this.#receiveUnreadable(session, frame);
    if (session.relayIdentity === undefined) entrance.receive(session, frame.message, now, this);
    else conversation.receive(session, session.relayIdentity, frame.message, now);
  }

  /** Handles an unreadable frame; a relay that waits for an answer to it gets one. */
  #receiveUnreadable(session: Session, frame: Extract<Frame<RelayMessage>, { kind: "malformed" }>): void {
    const { log, entrance, conversation } = this.#deps;
    this.counts.malformed += 1;
    if (countMalformed(session))
      log.info({ connection: session.connection, because: frame.because }, "a frame could not be read and was ignored");
    if (session.closed) return;
    if (session.relayIdentity !== undefined) conversation.receiveUnreadable(session, session.relayIdentity, frame);
    else if (frame.type === "auth_response") entrance.receiveUnreadable(session, frame.because, this);
  }

  /** A connection answered a WebSocket ping. */
  alive(session: Session): void {
    session.unanswered = 0;
    this.#deps.probes.answered(session);
  }

  /** A connection was closed. */
  ended(session: Session): void {
    session.closed = true;
    session.cancelAuthDeadline?.();
    this.#deps.waiting.delete(session);
    this.#limiter.leave(session);
    this.#deps.relays.leave(session);
    this.#deps.probes.gone(session);
  }
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength;
}
