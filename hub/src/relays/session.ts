import type { AskingAgent, RelayIdentity } from "@nest/dispatch";
import type { CancelTimer, Clock } from "@nest/kit";
import {
  closeCodes,
  compareVersions,
  type DeclaredFacts,
  type HubMessage,
  MAX_FRAME_BYTES,
  type Tier,
  type VersionVerdict,
} from "@nest/protocol";
import type { RawData } from "ws";
import type { WorkMessage } from "./command-of.ts";
import { type Manners, mannersOf } from "./manners.ts";
import type { Transport, TransportListener } from "./transport.ts";

/** A peer that does not answer a close is cut after this long. */
const CLOSE_GRACE_MS = 2000;
/** A peer with this many unread bytes is not reading. */
const MOST_QUEUED_BYTES = 1024 * 1024;

/** What a relay declared about itself, cleaned; shown to people and never trusted. */
export interface Declared {
  readonly backend: string | undefined;
  readonly model: string | undefined;
  readonly role: string | undefined;
  readonly session: string | undefined;
  readonly version: string | undefined;
  readonly verdict: VersionVerdict;
  readonly facts: DeclaredFacts;
}

export interface LastFailure {
  readonly taskId: string;
  readonly repo: string;
  readonly number: number;
  readonly kind: string;
  readonly reason: string;
  readonly permanent: boolean;
  readonly at: number;
}

export type CredentialFailure = Pick<LastFailure, "taskId" | "repo" | "number" | "reason" | "at">;

/** Receives the events of a connection. */
export interface SessionOwner {
  heard(session: Session, data: RawData, isBinary: boolean): void;
  alive(session: Session): void;
  ended(session: Session): void;
}

const MOST_REASON_BYTES = 123;

/** One connection of a relay, from the challenge to the close. */
export class Session implements TransportListener {
  readonly connection: string;
  /** The challenge's nonce; unused after authentication. */
  nonce: string;
  /** The client's address, counted against the limit of unauthenticated connections; cleared after authentication. */
  address: string;
  readonly owner: SessionOwner;
  readonly #transport: Transport;
  readonly #clock: Clock;
  #seq = 0;
  #cancelCut: CancelTimer | undefined;
  /** The authenticated relay; undefined before authentication. */
  relayIdentity: RelayIdentity | undefined;
  login = "";
  tier: Tier = "newcomer";
  declared: Declared = {
    backend: undefined,
    model: undefined,
    role: undefined,
    session: undefined,
    version: undefined,
    verdict: compareVersions(undefined),
    facts: {},
  };
  /** How the hub speaks to this relay. */
  manners: Manners = mannersOf(new Set(), undefined);
  connectedAt = 0;
  /** The connection's number in this process. */
  nth = 0;
  /** Pings sent since the last sign of life. */
  unanswered = 0;
  lastActivityAt = 0;
  idleReason: string | undefined;
  note: string | undefined;
  lastFailure: LastFailure | undefined;
  /** Why the hub could not issue or renew the credential of the current task. */
  credentialFailure: CredentialFailure | undefined;
  /** When it asked for the work that it still waits for. */
  readyAt: number | undefined;
  /** Whether the answer to a `ready` is still being decided, and whether another `ready` came meanwhile. */
  ready: "answered" | "asked" | "asked again" = "answered";
  /**
   * The task that was offered and is not accepted yet; the offer also answers a `ready` that the relay sent before it read
   * the offer.
   */
  offered: { readonly taskId: string; readonly at: number; isCrossed: boolean } | undefined;
  /** When it last answered a ping. */
  answeredAt = Number.NEGATIVE_INFINITY;
  /** Messages that wait while an older connection is pinged; undefined otherwise. */
  waiting: WorkMessage[] | undefined;
  cancelAuthDeadline: CancelTimer | undefined;
  closed = false;
  malformed = 0;
  /** Number of frames before authentication. */
  early = 0;
  /** Bytes received since `heardFrom` (ms). */
  heardBytes = 0;
  heardFrom = 0;

  constructor(
    transport: Transport,
    owner: SessionOwner,
    opened: { connection: string; nonce: string; address: string },
    clock: Clock,
  ) {
    this.owner = owner;
    this.#transport = transport;
    this.#clock = clock;
    this.connection = opened.connection;
    this.nonce = opened.nonce;
    this.address = opened.address;
  }

  /** Since when it waits for work, and for which agent. */
  get asking(): Required<AskingAgent> & { readonly askedAt: number | undefined } {
    const { backend, model, version: relayVersion } = this.declared;
    return { askedAt: this.readyAt, backend, model, relayVersion };
  }

  received(data: RawData, isBinary: boolean): void {
    this.owner.heard(this, data, isBinary);
  }

  answered(): void {
    this.owner.alive(this);
  }

  ended(): void {
    this.#cancelCut?.();
    this.owner.ended(this);
  }

  /** Sends a message. A peer that reads too slowly is disconnected before its unread messages fill the hub's memory. */
  send(message: HubMessage): void {
    if (this.closed || !this.#transport.isOpen) return;
    this.#seq += 1;
    const frame = Buffer.from(JSON.stringify({ ...message, seq: this.#seq }));
    if (this.#transport.bufferedAmount > MOST_QUEUED_BYTES || frame.length > MAX_FRAME_BYTES)
      this.#transport.terminate();
    else this.#transport.sendFrame(frame);
  }

  /** Sends a protocol ping and a WebSocket ping: an answer to either proves that the peer is alive. */
  ping(): void {
    if (!this.#transport.isOpen) return;
    this.unanswered += 1;
    this.send({ type: "ping" });
    this.#transport.ping();
  }

  /** Closes the connection; a peer that does not answer the close is cut off. */
  close(code: number, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelAuthDeadline?.();
    this.#transport.close(code, cutToFrame(reason));
    this.#cancelCut = this.#clock.after(CLOSE_GRACE_MS, () => this.#transport.terminate());
  }

  /** Rejects the relay: sends the reason, then closes with 1008. */
  refuse(reason: string, acceptedModels?: readonly string[]): void {
    this.send({
      type: "auth_failed",
      reason,
      ...(acceptedModels === undefined ? {} : { accepted_models: [...acceptedModels] }),
    });
    this.close(closeCodes.policy, reason);
  }
}

/**
 * Cuts a reason to the 123 bytes that a close frame can hold. A list of accepted models may be longer; `auth_failed` sends it
 * in full.
 */
function cutToFrame(reason: string): string {
  const bytes = Buffer.from(reason);
  // A cut inside a character leaves a replacement character of three bytes.
  return bytes.length <= MOST_REASON_BYTES ? reason : bytes.subarray(0, MOST_REASON_BYTES - 3).toString();
}
