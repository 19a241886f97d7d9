import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import {
  type Bus,
  type CommandBatcher,
  connectionId,
  type Effect,
  type Ledger,
  type Queue,
  type RelayIdentity,
} from "@nest/dispatch";
import type { Clock, Log, Random } from "@nest/kit";
import {
  closeCodes,
  type Durations,
  type Frame,
  isWorthWaiting,
  MAX_FRAME_BYTES,
  type OwnLimitsLeft,
  permissionsOf,
  type RelayMessage,
  readRelayFrame,
  type Tier,
  type TransportTimes,
} from "@nest/protocol";
import { type RawData, WebSocketServer } from "ws";
import type { ModelPolicy } from "../queue-settings/model-policy.ts";
import type { Accepted } from "./authenticate.ts";
import { Conversation } from "./conversation.ts";
import { deliverEffect, type SocketEffect } from "./deliver-effect.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Entrance, type EntranceDeps } from "./entrance.ts";
import { Holders } from "./holders.ts";
import { keepAlive } from "./keep-alive.ts";
import { PreAuthLimiter } from "./pre-auth-limiter.ts";
import { Presence } from "./presence.ts";
import { Probes } from "./probes.ts";
import { Roster } from "./roster.ts";
import { serverCapabilities } from "./server-capabilities.ts";
import { RelaySocket, Session, type SessionOwner } from "./session.ts";
import type { TaskCredentials } from "./task-credentials.ts";
import { WaitingRelays } from "./waiting-relays.ts";
import { welcome } from "./welcome.ts";

/** A relay that sends this many frames nobody can read is not a relay. */
const MOST_MALFORMED = 1000;
const MOST_FRAGMENTS = 16;
/** A relay reports some kilobytes every two minutes. Reading frames costs the hub's time, whatever is in them. */
const FLOOD_BYTES = 16 * 1024 * 1024;
const FLOOD_WITHIN_MS = 10_000;
/** What a socket may send before it has said who it is (contract §8, Wire 17). */
const MOST_EARLY_FRAMES = 4;
const MAX_EARLY_FRAME_BYTES = 4096;

export interface GatewayDeps {
  /** This replica's id, part of the id of every socket: eight hexadecimal digits. */
  readonly replica: string;
  readonly bus: Bus;
  /** Whether a machine's relay is connected at another replica now. */
  readonly isElsewhere: (identity: string) => Promise<boolean>;
  readonly batcher: CommandBatcher;
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
  readonly #deps: GatewayDeps;
  readonly #server = new WebSocketServer({
    WebSocket: RelaySocket,
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    // Each piece of a message costs far more than its bytes; no relay cuts a message into many.
    maxFragments: MOST_FRAGMENTS,
    clientTracking: false,
  });
  readonly #doorway: PreAuthLimiter;
  readonly #roster = new Roster();
  readonly #probes: Probes;
  readonly #elsewhere: Elsewhere;
  readonly #conversation: Conversation;
  readonly #presence: Presence;
  readonly #entrance: Entrance;
  readonly #waiting: WaitingRelays;
  readonly counts: GatewayCounts = { malformed: 0, refused: 0, frames: 0 };
  readonly #capabilities: string[];
  #nextConnection = 1;
  readonly #stopPings: () => void;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#doorway = new PreAuthLimiter(deps);
    this.#capabilities = serverCapabilities(deps.credentials.available);
    const { clock, bus, batcher, transport } = deps;
    const { probeMs } = transport;
    const roster = this.#roster;
    this.#stopPings = keepAlive(() => roster.all(), clock, transport);
    const probes = new Probes(clock, probeMs, (silent) => this.#cutSilent(silent));
    const probe = (connection: string) => {
      const session = roster.get(connection);
      return session === undefined ? undefined : probes.ask(session);
    };
    const onJoined = (identities: readonly string[]) => {
      for (const session of identities.flatMap((identity) => roster.ofIdentity(identity))) void probes.ask(session);
    };
    this.#probes = probes;
    this.#elsewhere = new Elsewhere({ bus, clock, probeMs, onJoined, probe });
    const isShared = () => bus.others > 0;
    const holders = new Holders({ ...deps, isShared, roster, probes, elsewhere: this.#elsewhere, probeMs });
    const onReady = (session: Session) => this.#waiting.delete(session);
    this.#conversation = new Conversation({ holders, probes, batcher, ledger: deps.ledger, clock, onReady });
    const onRefused = () => (this.counts.refused += 1);
    const admit: EntranceDeps["admit"] = (session, accepted, now) => this.#admit(session, accepted, now);
    this.#entrance = new Entrance({ ...deps, isShared, roster, probes, onRefused, admit });
    this.#presence = new Presence({
      clock,
      say: (action, contributorId, detail) => batcher.submitLazily({ kind: "presence", contributorId, action, detail }),
      isElsewhere: deps.isElsewhere,
    });
    this.#waiting = new WaitingRelays(deps.queue, (relayIdentity) =>
      deps.batcher.submit({ kind: "ready", unasked: true, ...relayIdentity }),
    );
    deps.queue.whenOffered(() => this.#waiting.offer());
  }

  /** Takes WebSocket upgrades from this server. */
  attach(server: Server): void {
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Every authenticated session. */
  sessions(): IterableIterator<Session> {
    return this.#roster.all();
  }

  get connected(): number {
    return this.#roster.size;
  }

  /** Sockets turned away before they could say who they are. */
  get turnedAway(): number {
    return this.#doorway.turnedAway;
  }

  session(connection: string): Session | undefined {
    return this.#roster.get(connection);
  }

  /** Carries out what the batcher decided; the batch is on disk. */
  carryOut(effect: Effect): void {
    switch (effect.kind) {
      case "close": {
        for (const session of this.#roster.of(effect.contributorId)) {
          const isMeant = effect.only === undefined || effect.only === session.connection;
          if (isMeant) session.close(closeCodes.policy, effect.reason);
        }
        return;
      }
      case "standing": {
        for (const session of this.#roster.of(effect.contributorId)) this.#promote(session, effect.tier);
        return;
      }
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
    for (const session of [...this.#roster.all()]) {
      const contributor = this.#deps.ledger.contributor(session.relayIdentity?.contributorId ?? "");
      if (contributor === undefined || contributor.tier === "revoked")
        session.close(closeCodes.policy, "access revoked");
      else this.#promote(session, contributor.tier);
    }
  }

  /** These sockets hold their task no longer, wherever they are: relays of ours come back and say what they hold. */
  recall(connections: readonly string[]): void {
    for (const connection of connections) {
      const session = this.#roster.get(connection);
      if (session === undefined) continue;
      session.close(closeCodes.restarting, "this hub was away for a moment: come back and go on");
      this.#detach(session);
    }
  }

  /** A newer socket of its name came, or claims its task, and this one does not answer. */
  #cutSilent(session: Session): void {
    session.close(closeCodes.silent, "no answer to a ping, and a newer connection came");
    this.#detach(session);
  }

  /** A new tier holds at once, for the credential of a task in hand too. */
  #promote(session: Session, tier: Tier): void {
    if (session.tier === tier) return;
    session.tier = tier;
    const permissions = [...permissionsOf(tier)];
    session.send({ type: "notice", message: `your trust tier is now ${tier}`, trust_tier: tier, permissions });
    for (const lease of this.#deps.ledger.leasesOfContributor(session.relayIdentity?.contributorId ?? "")) {
      if (lease.connection === session.connection && lease.acceptedAt !== undefined)
        this.#deps.credentials.replace(lease, session);
    }
  }

  /** Tells every relay what the operators have to say. */
  announce(message: string): void {
    for (const session of this.#roster.all()) session.send({ type: "notice", message });
  }

  /** The rules have changed: relays that were told there is no work may get some now. */
  offerAgain(): void {
    this.#waiting.offer();
  }

  /** Says goodbye to every relay: they come back by themselves, their leases kept. */
  drain(): void {
    this.#doorway.isClosed = true;
    this.#stopPings();
    this.#presence.stop();
    for (const session of [...this.#doorway.waiting(), ...this.#roster.all()]) {
      session.close(closeCodes.restarting, "hub restarting");
    }
  }

  #tell(effect: SocketEffect): void {
    const session = this.#roster.get(effect.connection);
    if (session === undefined) return;
    if (effect.kind === "assign") {
      this.#waiting.delete(session);
      const { clock, onAssigned } = this.#deps;
      if (session.readyAt !== undefined) onAssigned(clock.now() - session.readyAt);
      session.readyAt = undefined;
    }
    if (effect.kind === "unavailable") {
      if (isWorthWaiting(effect.reason)) this.#waiting.add(session);
      // Whoever may not work now does not wait for work.
      if (effect.reason !== "no_matching_work" && effect.reason !== "hub_not_ready") session.readyAt = undefined;
    }
    deliverEffect(session, effect, this.#deps);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = this.#doorway.admit(request, socket);
    if (address === undefined) return;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket, socket, address));
  }

  #welcome(socket: RelaySocket, stream: Duplex, address: string): void {
    const { clock, random, replica, transport } = this.#deps;
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
    this.#probes.answered(session);
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
    const { relayIdentity } = session;
    if (relayIdentity === undefined || !this.#roster.remove(session)) return;
    this.#deps.credentials.detach(relayIdentity.connection);
    this.#deps.batcher.submit({ kind: "dropped", ...relayIdentity });
    this.#presence.went(relayIdentity.identity, relayIdentity.contributorId);
    this.#probes.gone(session);
    this.#deps.onChange();
  }

  /** A frame came in. */
  heard(session: Session, data: RawData, isBinary: boolean): void {
    if (session.closed) return;
    const now = this.#deps.clock.now();
    session.unanswered = 0;
    this.counts.frames += 1;
    if (session.relayIdentity === undefined ? !this.#mayStillSpeak(session, data) : this.#isFlood(session, data, now))
      return;
    const frame = isBinary ? ({ kind: "malformed", because: "binary" } as const) : readRelayFrame(data.toString());
    if (frame.kind === "message") {
      if (session.relayIdentity === undefined) this.#entrance.hear(session, frame.message, now);
      else this.#conversation.hear(session, session.relayIdentity, frame.message, now);
      return;
    }
    if (frame.kind === "unknown") return;
    this.#misheard(session, frame);
  }

  /** A frame that could not be read: who waits for an answer to it gets one. */
  #misheard(session: Session, frame: Extract<Frame<RelayMessage>, { kind: "malformed" }>): void {
    this.counts.malformed += 1;
    session.malformed += 1;
    if (session.malformed === 1)
      this.#deps.log.info(
        { connection: session.connection, because: frame.because },
        "a frame could not be read and was ignored",
      );
    if (session.malformed >= MOST_MALFORMED) session.close(closeCodes.policy, "too many malformed frames");
    else if (session.relayIdentity !== undefined) this.#conversation.misheard(session, session.relayIdentity, frame);
    else if (frame.type === "auth_response") this.#entrance.misheard(session, frame.because);
  }

  /** Whether a socket that has not said who it is may be listened to (contract §8, Wire 17): few frames, and small ones. */
  #mayStillSpeak(session: Session, data: RawData): boolean {
    session.early += 1;
    const isTooLong = bytesOf(data) > MAX_EARLY_FRAME_BYTES;
    if (!isTooLong && session.early <= MOST_EARLY_FRAMES) return true;
    this.#deps.guesses.count(session.address);
    if (isTooLong) session.close(closeCodes.tooBig, "a frame before authentication is longer than 4 KiB");
    else session.close(closeCodes.policy, "too many frames before authentication");
    return false;
  }

  /** Whether a relay sends more than any relay has to say: it is let go. */
  #isFlood(session: Session, data: RawData, now: number): boolean {
    if (now >= session.heardFrom + FLOOD_WITHIN_MS) Object.assign(session, { heardFrom: now, heardBytes: 0 });
    session.heardBytes += bytesOf(data);
    if (session.heardBytes <= FLOOD_BYTES) return false;
    session.close(closeCodes.policy, "more than 16 MiB within ten seconds");
    return true;
  }

  #admit(session: Session, accepted: Accepted, now: number): void {
    const { contributor, identity, declared, additions } = accepted;
    session.cancelAuthDeadline?.();
    session.cancelAuthDeadline = undefined;
    this.#doorway.leave(session);
    session.nonce = "";
    session.address = "";
    const older = this.#roster.ofIdentity(identity);
    const relayIdentity: RelayIdentity = { connection: session.connection, contributorId: contributor.id, identity };
    const { login, tier } = contributor;
    Object.assign(session, { relayIdentity, login, tier, declared, connectedAt: now, lastActivityAt: now });
    session.acceptsPushes = additions.has("task_push");
    this.#roster.add(session, contributor.id);
    const detail = [declared.session, declared.backend, declared.model].filter(Boolean).join(" ");
    this.#presence.came(identity, contributor.id, detail);
    if (declared.verdict !== "current") {
      this.#deps.log.info(
        { contributor: login, declared: declared.version, verdict: declared.verdict },
        "relay speaks another protocol version",
      );
    }
    welcome(session, contributor, {
      capabilities: this.#capabilities,
      role: this.#deps.roleOf(contributor.id, declared.role),
      limits: this.#deps.limitsOf(contributor.id),
      announcement: this.#deps.announcement(),
    });
    this.#elsewhere.joined(identity);
    if (older.length > 0) this.#conversation.holdBack(session, Promise.all(older.map((one) => this.#probes.ask(one))));
    this.#deps.onChange();
  }
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength;
}
