import type { RelayIdentity } from "@nest/dispatch";
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
import type { Transport, TransportListener } from "./transport.ts";

/** A peer that does not answer a close is cut after this long. */
const CLOSE_GRACE_MS = 2000;
/** A peer that lets this much pile up is not reading. */
const MOST_QUEUED_BYTES = 1024 * 1024;

/** What the relay of a session declared, cleaned; for people to look at. */
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

/** Who is told what a socket does. */
export interface SessionOwner {
  heard(session: Session, data: RawData, isBinary: boolean): void;
  alive(session: Session): void;
  ended(session: Session): void;
}

const MOST_REASON_BYTES = 123;

/** One socket of a relay, from the challenge to the close. */
export class Session implements TransportListener {
  readonly connection: string;
  /** What proof is given over; of no use once authenticated. */
  nonce: string;
  /** Counted while unauthenticated; forgotten after. */
  address: string;
  readonly owner: SessionOwner;
  readonly #transport: Transport;
  readonly #clock: Clock;
  #seq = 0;
  #cancelCut: CancelTimer | undefined;
  /** Who speaks here; undefined until authenticated. */
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
  acceptsPushes = false;
  connectedAt = 0;
  /** Counts the sockets of this process. */
  nth = 0;
  /** Pings since anything was heard of it. */
  unanswered = 0;
  lastActivityAt = 0;
  idleReason: string | undefined;
  note: string | undefined;
  lastFailure: LastFailure | undefined;
  /** Why the task in hand has no credential of the hub, or none that is newer. */
  credentialFailure: CredentialFailure | undefined;
  /** When it asked for work that it has not been given yet. */
  readyAt: number | undefined;
  /** A task that was offered and not accepted yet: a `ready` that crossed it is answered by it. */
  offered: { readonly taskId: string; readonly at: number; isCrossed: boolean } | undefined;
  /** When it answered a ping last. */
  answeredAt = Number.NEGATIVE_INFINITY;
  /** What it said while an older socket is asked whether it lives; undefined while nobody is. */
  waiting: WorkMessage[] | undefined;
  cancelAuthDeadline: CancelTimer | undefined;
  closed = false;
  malformed = 0;
  /** Frames that came before it had said who it is. */
  early = 0;
  /** Bytes that came since `heardFrom` (ms). */
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

  /** Sends a message; a peer that reads nothing for too long is cut instead of filling the hub's memory. */
  send(message: HubMessage): void {
    if (this.closed || !this.#transport.isOpen) return;
    this.#seq += 1;
    const frame = Buffer.from(JSON.stringify({ ...message, seq: this.#seq }));
    if (this.#transport.bufferedAmount > MOST_QUEUED_BYTES || frame.length > MAX_FRAME_BYTES)
      this.#transport.terminate();
    else this.#transport.sendFrame(frame);
  }

  /** A ping of the protocol and one of the transport: either answer proves life. */
  ping(): void {
    if (!this.#transport.isOpen) return;
    this.unanswered += 1;
    this.send({ type: "ping" });
    this.#transport.ping();
  }

  /** Closes the socket; one that does not answer is cut. */
  close(code: number, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelAuthDeadline?.();
    this.#transport.close(code, cutToFrame(reason));
    this.#cancelCut = this.#clock.after(CLOSE_GRACE_MS, () => this.#transport.terminate());
  }

  /** Refuses the relay for good: says why, then closes with 1008. */
  refuse(reason: string, acceptedModels?: readonly string[]): void {
    this.send({
      type: "auth_failed",
      reason,
      ...(acceptedModels === undefined ? {} : { accepted_models: [...acceptedModels] }),
    });
    this.close(closeCodes.policy, reason);
  }
}

/** A close frame has room for 123 bytes of reason; a list of accepted models may be longer, and is sent in full before. */
function cutToFrame(reason: string): string {
  const bytes = Buffer.from(reason);
  // What is cut within a character ends in a replacement character, which is three bytes itself.
  return bytes.length <= MOST_REASON_BYTES ? reason : bytes.subarray(0, MOST_REASON_BYTES - 3).toString();
}
