import type { Clock, Random } from "@nest/kit";
import {
  authRefusalKind,
  closeCodes,
  type Durations,
  type HubMessage,
  type RelayMessage,
  type TransportTimes,
} from "@nest/protocol";
import type { HubEntry } from "../settings/config.ts";
import type { AcceptedLogins } from "./accepted-logins.ts";
import { Allowance } from "./allowance.ts";
import { authResponse, type Challenge, canProve, type Introduction } from "./auth.ts";
import { type Closed, Connection } from "./connection.ts";
import type { Redaction } from "./outgoing.ts";
import { nextTry } from "./reconnect.ts";
import type { OpenWire } from "./wire.ts";

export type AuthOk = Extract<HubMessage, { type: "auth_ok" }>;
/** The messages of a session's working phase: everything after the handshake. */
export type WorkMessage = Exclude<HubMessage, { type: "auth_challenge" | "auth_ok" | "auth_failed" | "ping" | "pong" }>;

/** What a session tells the relay it belongs to. */
export interface SessionListener {
  onAuthenticated(session: Session, welcome: AuthOk): void;
  /** `asked`: the message answers a `ready`. */
  onWork(session: Session, message: WorkMessage, asked: boolean): void;
  onIgnored(session: Session, why: string): void;
  /** The connection was lost; the next attempt comes after `retryMs`. */
  onLost(session: Session, closed: Closed, retryMs: number): void;
  onRefused(session: Session, reason: string, acceptedModels: readonly string[]): void;
}

export interface SessionDeps {
  readonly openWire: OpenWire;
  readonly clock: Clock;
  readonly random: Random;
  readonly numbers: Durations;
  readonly transport: TransportTimes;
  readonly introduction: () => Introduction;
  readonly redaction: Redaction;
  /** The tokens that hubs have accepted, also from earlier relays. */
  readonly logins: Pick<AcceptedLogins, "has" | "add">;
  readonly listener: SessionListener;
}

/** How the reason of a connection begins that a hub refused for now: the relay tries again. */
export const REFUSED_FOR_NOW = "refused: ";

/** Rate limit for a hub's texts that are shown to the person: a hub must not fill the screen. */
const NEWS = { atOnce: 10, perSecond: 0.1 };

/**
 * The conversation with one hub, across as many connections as it takes.
 *
 * A connection goes like this: it opens, the hub sends its challenge, the relay answers, the hub sends `auth_ok` or
 * `auth_failed`; then work begins. When it ends, the next one begins after a backoff. A refusal that waiting cannot change ends
 * the session for good.
 *
 * At most one `ready` is outstanding: set when it is sent, cleared by its answer, by the connection's end, and by a new
 * authentication. A second one would give back the task that the first one got (protocol: double ready).
 */
export class Session {
  readonly hub: HubEntry;
  readonly #deps: SessionDeps;
  #connection: Connection | undefined;
  #authenticatedAt: number | undefined;
  #refusal: string | undefined;
  #prove = true;
  #provedThisTime = false;
  #readySentAt: number | undefined;
  /** Whether this connection's challenge was answered: only one is. */
  #answered = false;
  /** Why the hub refused this connection, where that may pass. */
  #passingRefusal: string | undefined;
  readonly #news: Allowance;
  /** The additions that the hub announced. */
  capabilities: ReadonlySet<string> = new Set();
  /** Whether the hub answers each `ready`. Hubs from before versions say nothing when they have no work. */
  answersReady = true;
  contributorId: string | undefined;
  tier: string | undefined;
  /** What a credential of the hub may do; undefined where the hub does not say. */
  permissions: readonly string[] | undefined;

  constructor(hub: HubEntry, deps: SessionDeps) {
    this.hub = hub;
    this.#deps = deps;
    this.#news = new Allowance(NEWS, deps.clock);
  }

  get isAuthenticated(): boolean {
    return this.#authenticatedAt !== undefined && this.#connection?.isOpen === true;
  }

  /** When the outstanding `ready` was sent; undefined when none is. */
  get readySentAt(): number | undefined {
    return this.#readySentAt;
  }

  /** Asks for work, unless an answer is still due. */
  async ask(): Promise<void> {
    if (!this.isAuthenticated || this.#readySentAt !== undefined) return;
    this.#readySentAt = this.#deps.clock.now();
    await this.#connection?.send({ type: "ready" });
  }

  /** Stops waiting for the answer to a `ready` that the hub never gave. */
  forgetReady(): void {
    this.#readySentAt = undefined;
  }

  /** Sends a message of the working phase; false when the hub cannot be reached now. */
  send(message: RelayMessage): Promise<boolean> {
    if (!this.isAuthenticated) return Promise.resolve(false);
    return this.#connection?.send(message) ?? Promise.resolve(false);
  }

  /** Connects, and connects again, until the hub refuses for good or `stop` fires. Resolves with which it was. */
  async run(stop: AbortSignal): Promise<"refused" | "stopped"> {
    let attempt = 0;
    while (!stop.aborted) {
      const ended = await this.#connectOnce(stop);
      if (this.#refusal !== undefined) return "refused";
      if (stop.aborted) break;
      const next = nextTry(ended, attempt, this.#deps.numbers, this.#deps.random);
      attempt = next.attempt;
      this.#deps.listener.onLost(this, ended, next.delayMs);
      await this.#deps.clock.sleep(next.delayMs, stop).catch(() => undefined);
    }
    return "stopped";
  }

  async #connectOnce(stop: AbortSignal): Promise<Closed & { authenticatedMs: number | undefined }> {
    const { openWire, clock, transport } = this.#deps;
    const connection = new Connection(this.hub.address, {
      openWire,
      clock,
      redaction: this.#deps.redaction,
      pingMs: transport.pingMs,
      openWithinMs: transport.authDeadlineMs,
      onMessage: (message) => this.#receive(connection, message),
      onIgnored: (why) => this.#deps.listener.onIgnored(this, why),
    });
    this.#connection = connection;
    this.#answered = false;
    const onStop = () => connection.close(closeCodes.normal, "relay stopped");
    stop.addEventListener("abort", onStop, { once: true });
    const cancelDeadline = clock.after(transport.authDeadlineMs, () => {
      if (this.#authenticatedAt === undefined) connection.close(closeCodes.policy, "authentication timeout");
    });
    const closed = await connection.closed;
    cancelDeadline();
    stop.removeEventListener("abort", onStop);
    const authenticatedMs = this.#authenticatedAt === undefined ? undefined : clock.now() - this.#authenticatedAt;
    this.#authenticatedAt = undefined;
    this.#readySentAt = undefined;
    this.#connection = undefined;
    const reason = this.#passingRefusal ?? closed.reason;
    this.#passingRefusal = undefined;
    return { ...closed, reason, authenticatedMs };
  }

  #receive(connection: Connection, message: HubMessage): void {
    if (connection !== this.#connection) return;
    switch (message.type) {
      case "auth_challenge":
        this.#answer(connection, message);
        return;
      case "auth_ok":
        if (this.#answered && this.#authenticatedAt === undefined) this.#welcome(connection, message);
        return;
      case "auth_failed":
        this.#refused(connection, message.reason, message.accepted_models ?? []);
        return;
      case "ping":
      case "pong":
        return;
      default:
        if (this.#authenticatedAt !== undefined) this.#work(message);
    }
  }

  /** Answers a challenge, once a connection: a hub that sends more gets no further answer. */
  #answer(connection: Connection, challenge: Challenge): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#provedThisTime = this.#prove && canProve(challenge, this.hub);
    void connection.send(authResponse(challenge, this.hub, this.#deps.introduction(), this.#prove));
  }

  #work(message: WorkMessage): void {
    const asked = this.#readySentAt !== undefined;
    if (message.type === "task_assign" || message.type === "task_unavailable") this.#readySentAt = undefined;
    if (message.type === "token_refresh" || message.type === "notice")
      this.permissions = message.permissions ?? this.permissions;
    if (message.type === "notice") this.tier = message.trust_tier ?? this.tier;
    const isNews = message.type === "notice" || message.type === "token_refresh_failed";
    if (!isNews || this.#news.take()) this.#deps.listener.onWork(this, message, asked);
  }

  #welcome(connection: Connection, message: AuthOk): void {
    this.#authenticatedAt = this.#deps.clock.now();
    this.#readySentAt = undefined;
    connection.hubLimit = message.max_message_bytes;
    this.capabilities = new Set(message.server_capabilities ?? []);
    this.contributorId = message.contributor_id;
    this.tier = message.trust_tier;
    this.permissions = message.permissions;
    this.answersReady = message.protocol_version !== undefined || this.capabilities.size > 0;
    // Without the disk it is remembered for this run.
    void this.#deps.logins.add(this.hub).catch(() => undefined);
    this.#deps.listener.onAuthenticated(this, message);
  }

  #refused(connection: Connection, reason: string, acceptedModels: readonly string[]): void {
    connection.close(closeCodes.normal, "refused");
    const kind = authRefusalKind(reason);
    const isAboutToken = kind === "token" || kind === "passing";
    if (this.#provedThisTime && isAboutToken) {
      // The saved identity may be old, or of another hub: send the token itself.
      this.#prove = false;
      return;
    }
    // Waiting may help, also when a hub refuses a token that it accepted before: it may have lost its records for a while.
    if (kind === "passing" || (isAboutToken && this.#deps.logins.has(this.hub))) {
      this.#passingRefusal = REFUSED_FOR_NOW + reason;
      return;
    }
    this.#refusal = reason;
    this.#deps.listener.onRefused(this, reason, acceptedModels);
  }
}
