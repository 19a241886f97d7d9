import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, Log, Random } from "@nest/kit";
import {
  closeCodes,
  type Durations,
  MAX_FRAME_BYTES,
  type OwnLimitsLeft,
  PROTOCOL_VERSION,
  permissionsOf,
  type RelayMessage,
  readRelayFrame,
  type Tier,
  type TransportTimes,
} from "@nest/protocol";
import { type RawData, WebSocketServer } from "ws";
import type { Effect, Speaker } from "../leases/commands.ts";
import { connectionId } from "../leases/connection.ts";
import type { LeaseBook } from "../leases/lease-book.ts";
import type { Ledger } from "../leases/ledger.ts";
import type { Queue } from "../queue/queue.ts";
import { authenticate } from "./authenticate.ts";
import { commandOf, noteOf } from "./command-of.ts";
import { Doorway } from "./doorway.ts";
import { keepAlive } from "./keep-alive.ts";
import type { ModelPolicy } from "./model-policy.ts";
import { serverCapabilities } from "./server-capabilities.ts";
import { RelaySocket, Session, type SessionOwner } from "./session.ts";
import type { TaskCredentials } from "./task-credentials.ts";
import { isWorthWaiting, type SocketEffect, tell } from "./tell.ts";
import { WaitingRelays } from "./waiting-relays.ts";

/** A relay that sends this many frames nobody can read is not a relay. */
const MOST_MALFORMED = 1000;
/** What a socket may send before it has said who it is (contract §8, Wire 17). */
const MOST_EARLY_FRAMES = 4;
const MAX_EARLY_FRAME_BYTES = 4096;
/** A `ready` that crossed a pushed task is answered by that task for this long. */
const CROSSING_MS = 5000;

export interface GatewayParts {
  /** This replica's id, part of the id of every socket: eight hexadecimal digits. */
  readonly replica: string;
  /** Whether there are other replicas at this moment. */
  readonly isShared: () => boolean;
  readonly book: LeaseBook;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly credentials: TaskCredentials;
  readonly models: () => ModelPolicy;
  /** The delegated role that a contributor's relay works in, of what it asks for. */
  readonly roleOf: (contributorId: string, requested: string | undefined) => string | undefined;
  /** How a contributor stands against the limits of their tier; undefined without limits. */
  readonly limitsOf: (contributorId: string) => OwnLimitsLeft | undefined;
  /** What the operators have to say to every relay; empty = nothing. */
  readonly announcement: () => string;
  /** Addresses that keep sending tokens which are none. */
  readonly guesses: { count(address: string): number; waitMs(address: string): number };
  /** Whether an upgrade names this hub. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  /** For whom an upgrade is asked. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly times: Durations;
  readonly transport: TransportTimes;
  readonly log: Log;
  /** Told when something that people watch has changed. */
  readonly onChange: () => void;
  /** Told how long a relay waited for the task it was given, from its `ready`. */
  readonly onAssigned: (waitedMs: number) => void;
}

export interface GatewayCounts {
  malformed: number;
  refused: number;
  frames: number;
}

/** The WebSocket side of the hub: upgrades, authenticates, turns frames into commands and effects into frames. */
export class Gateway implements SessionOwner {
  readonly #parts: GatewayParts;
  readonly #server = new WebSocketServer({
    WebSocket: RelaySocket,
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  readonly #doorway: Doorway;
  readonly #byConnection = new Map<string, Session>();
  readonly #byIdentity = new Map<string, Session>();
  readonly #waiting: WaitingRelays;
  readonly counts: GatewayCounts = { malformed: 0, refused: 0, frames: 0 };
  readonly #capabilities: string[];
  #nextConnection = 1;
  readonly #stopPings: () => void;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#doorway = new Doorway(parts);
    this.#capabilities = serverCapabilities(parts.credentials.available);
    this.#stopPings = keepAlive(() => this.#byConnection.values(), parts.clock, parts.transport);
    this.#waiting = new WaitingRelays(parts.queue, (speaker) =>
      parts.book.submit({ kind: "ready", unasked: true, ...speaker }),
    );
    parts.queue.whenOffered(() => this.#waiting.offer());
  }

  /** Takes WebSocket upgrades from this server. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Every authenticated session. */
  sessions(): IterableIterator<Session> {
    return this.#byConnection.values();
  }

  get connected(): number {
    return this.#byConnection.size;
  }

  /** Sockets turned away before they could say who they are. */
  get turnedAway(): number {
    return this.#doorway.turnedAway;
  }

  session(connection: string): Session | undefined {
    return this.#byConnection.get(connection);
  }

  /** Carries out what the lease book decided; the batch is on disk. */
  carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "close": {
        for (const session of [...this.#byConnection.values()]) {
          const isMeant = effect.only === undefined || effect.only === session.connection;
          if (isMeant && session.speaker?.contributorId === effect.contributorId)
            session.close(closeCodes.policy, effect.reason);
        }
        return;
      }
      case "standing": {
        for (const session of this.#byConnection.values()) {
          if (session.speaker?.contributorId === effect.contributorId) this.#promote(session, effect.tier);
        }
        return;
      }
      case "joined":
      case "verify":
      case "done":
      case "refused":
        return;
      default:
        this.#tell(effect);
    }
  }

  /** What was decided of contributors meanwhile, told to their sockets: their standing is read anew. */
  review(): void {
    for (const session of [...this.#byConnection.values()]) {
      const contributor = this.#parts.ledger.contributor(session.speaker?.contributorId ?? "");
      if (contributor === undefined || contributor.tier === "revoked")
        session.close(closeCodes.policy, "access revoked");
      else this.#promote(session, contributor.tier);
    }
  }

  /** These sockets hold their task no longer, wherever they are: relays of ours come back and say what they hold. */
  recall(connections: readonly string[]): void {
    for (const connection of connections) {
      const session = this.#byConnection.get(connection);
      if (session === undefined) continue;
      session.close(closeCodes.restarting, "this hub was away for a moment: come back and go on");
      this.#detach(session);
    }
  }

  /** Another replica has a newer socket of an identity since `at`: ours is the older one. */
  supersede(identity: string, at: number): void {
    const older = this.#byIdentity.get(identity);
    if (older === undefined || older.connectedAt >= at) return;
    older.close(closeCodes.silent, "another connection with this token took over");
    this.#detach(older);
  }

  /** A new tier holds at once, for the credential of a task in hand too. */
  #promote(session: Session, tier: Tier): void {
    if (session.tier === tier) return;
    session.tier = tier;
    session.send({ type: "notice", message: `your trust tier is now ${tier}` });
    for (const lease of this.#parts.ledger.leasesOfContributor(session.speaker?.contributorId ?? "")) {
      if (lease.connection === session.connection && lease.acceptedAt !== undefined)
        this.#parts.credentials.replace(lease, session);
    }
  }

  /** Tells every relay what the operators have to say. */
  announce(message: string): void {
    for (const session of this.#byConnection.values()) session.send({ type: "notice", message });
  }

  /** The rules have changed: relays that were told there is no work may get some now. */
  offerAgain(): void {
    this.#waiting.offer();
  }

  /** Says goodbye to every relay: they come back by themselves, their leases kept. */
  drain(): void {
    this.#doorway.isClosed = true;
    this.#stopPings();
    for (const session of [...this.#doorway.waiting(), ...this.#byConnection.values()]) {
      session.close(closeCodes.restarting, "hub restarting");
    }
  }

  #tell(effect: SocketEffect): void {
    const session = this.#byConnection.get(effect.connection);
    if (session === undefined) return;
    if (effect.kind === "assign") {
      this.#waiting.delete(session);
      const { clock, onAssigned } = this.#parts;
      if (session.readyAt !== undefined) onAssigned(clock.now() - session.readyAt);
      session.readyAt = undefined;
    }
    if (effect.kind === "unavailable") {
      if (isWorthWaiting(effect.reason)) this.#waiting.add(session);
      // Whoever may not work now does not wait for work.
      if (effect.reason !== "no_matching_work" && effect.reason !== "hub_not_ready") session.readyAt = undefined;
    }
    tell(session, effect, this.#parts);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = this.#doorway.admit(request, socket);
    if (address === undefined) return;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket, socket, address));
  }

  #welcome(socket: RelaySocket, stream: Duplex, address: string): void {
    const { clock, random, replica, transport } = this.#parts;
    const nth = this.#nextConnection++;
    const connection = connectionId(replica, nth);
    const session = new Session(socket, stream, this, connection, random.hex(16), address);
    session.nth = nth;
    this.#doorway.enter(session);
    session.cancelAuthDeadline = clock.after(transport.authDeadlineMs, () => session.refuse("authentication timeout"));
    session.send({ type: "auth_challenge", nonce: session.nonce, server_capabilities: this.#capabilities });
  }

  /** A socket answered a ping. */
  alive(session: Session): void {
    session.unanswered = 0;
  }

  /** A socket is gone. */
  ended(session: Session): void {
    session.closed = true;
    session.cancelAuthDeadline?.();
    this.#waiting.delete(session);
    this.#doorway.leave(session);
    this.#detach(session);
  }

  /** Gives up a session's place; what it holds is kept for its identity. */
  #detach(session: Session): void {
    const { speaker } = session;
    if (speaker === undefined || !this.#byConnection.delete(speaker.connection)) return;
    if (this.#byIdentity.get(speaker.identity) === session) this.#byIdentity.delete(speaker.identity);
    this.#parts.credentials.detach(speaker.connection);
    this.#parts.book.submit({ kind: "dropped", ...speaker });
    this.#parts.onChange();
  }

  /** A frame came in. */
  heard(session: Session, data: RawData, isBinary: boolean): void {
    if (session.closed) return;
    const now = this.#parts.clock.now();
    session.unanswered = 0;
    this.counts.frames += 1;
    if (session.speaker === undefined && !this.#mayStillSpeak(session, data)) return;
    const frame = isBinary ? ({ kind: "malformed", because: "binary" } as const) : readRelayFrame(data.toString());
    if (frame.kind === "message") {
      if (session.speaker === undefined) this.#authenticate(session, frame.message, now);
      else this.#hear(session, session.speaker, frame.message, now);
      return;
    }
    if (frame.kind === "unknown") return;
    this.counts.malformed += 1;
    session.malformed += 1;
    if (session.malformed === 1)
      this.#parts.log.info(
        { connection: session.connection, because: frame.because },
        "a frame could not be read and was ignored",
      );
    if (session.malformed >= MOST_MALFORMED) session.close(closeCodes.policy, "too many malformed frames");
  }

  /** Whether a socket that has not said who it is may be listened to (contract §8, Wire 17): few frames, and small ones. */
  #mayStillSpeak(session: Session, data: RawData): boolean {
    session.early += 1;
    const isTooLong = bytesOf(data) > MAX_EARLY_FRAME_BYTES;
    if (!isTooLong && session.early <= MOST_EARLY_FRAMES) return true;
    this.#parts.guesses.count(session.address);
    if (isTooLong) session.close(closeCodes.tooBig, "a frame before authentication is longer than 4 KiB");
    else session.close(closeCodes.policy, "too many frames before authentication");
    return false;
  }

  #authenticate(session: Session, message: RelayMessage, now: number, isNewest = false): void {
    if (message.type !== "auth_response") return;
    const { ledger, models, book, log, isShared } = this.#parts;
    const policy = models();
    const result = authenticate(message, session.nonce, ledger, policy);
    const later = (isNewestThen: boolean) => {
      if (!session.closed && session.speaker === undefined) this.#authenticate(session, message, now, isNewestThen);
    };
    if (result.kind === "unjudged") {
      void policy.judge(result.model).then(() => later(isNewest));
      return;
    }
    if (result.kind === "refused") {
      if (!isNewest && isShared() && result.reason === "invalid token") {
        // Another replica may have given it out a moment ago.
        void book.caughtUp().then(() => later(true));
        return;
      }
      this.counts.refused += 1;
      if (result.reason === "invalid token") this.#parts.guesses.count(session.address);
      log.info({ connection: session.connection, because: result.reason }, "relay refused");
      session.refuse(result.reason, result.acceptedModels);
      return;
    }
    const { contributor, identity, declared, additions } = result;
    session.cancelAuthDeadline?.();
    session.cancelAuthDeadline = undefined;
    this.#doorway.leave(session);
    session.nonce = "";
    session.address = "";
    const older = this.#byIdentity.get(identity);
    if (older !== undefined) {
      older.close(closeCodes.silent, "another connection with this token took over");
      this.#detach(older);
    }
    const speaker: Speaker = { connection: session.connection, contributorId: contributor.id, identity };
    Object.assign(session, {
      speaker,
      login: contributor.login,
      tier: contributor.tier,
      declared,
      connectedAt: now,
      lastActivityAt: now,
    });
    session.acceptsPushes = additions.has("task_push");
    this.#byConnection.set(session.connection, session);
    this.#byIdentity.set(identity, session);
    book.submitLazily({
      kind: "joined",
      ...speaker,
      detail: [declared.backend, declared.model].filter(Boolean).join(" "),
    });
    if (declared.verdict !== "current") {
      log.info(
        { contributor: contributor.login, declared: declared.version, verdict: declared.verdict },
        "relay speaks another protocol version",
      );
    }
    const role = this.#parts.roleOf(contributor.id, declared.role);
    const limits = this.#parts.limitsOf(contributor.id);
    session.send({
      type: "auth_ok",
      contributor_id: contributor.id,
      trust_tier: contributor.tier,
      permissions: [...permissionsOf(contributor.tier)],
      protocol_version: PROTOCOL_VERSION,
      server_capabilities: this.#capabilities,
      connection_id: session.connection,
      max_message_bytes: MAX_FRAME_BYTES,
      ...(role === undefined ? {} : { role }),
      ...(limits === undefined ? {} : { limits }),
    });
    this.#greet(session, role);
    this.#parts.onChange();
  }

  /** What a relay should know from the start: what the operators announce, and a role it asked for and did not get. */
  #greet(session: Session, role: string | undefined): void {
    const announcement = this.#parts.announcement();
    if (announcement !== "") session.send({ type: "notice", message: announcement });
    const asked = session.declared.role;
    if (asked === undefined || asked === role) return;
    const now = role === undefined ? "it works without one" : `it works as ${role}, which an owner set`;
    session.send({ type: "notice", message: `this relay asked for the role ${asked}; ${now}` });
  }

  #hear(session: Session, speaker: Speaker, message: RelayMessage, now: number): void {
    const { book } = this.#parts;
    if (message.type === "ping") return session.send({ type: "pong" });
    if (message.type === "pong" || message.type === "auth_response") return;
    session.lastActivityAt = now;
    if (message.type === "task_progress") session.note = noteOf(message);
    if (message.type === "ready") {
      if (session.pushed !== undefined && now - session.pushed.at < CROSSING_MS) return;
      this.#waiting.delete(session);
      session.readyAt ??= now;
    }
    book.submit(commandOf(message, speaker));
  }
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength;
}
