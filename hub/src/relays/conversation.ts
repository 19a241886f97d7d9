import type { CommandBatcher, Lease, Ledger, RelayIdentity } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import { closeCodes, NO_ACTIVE_LEASE, type RelayMessage } from "@nest/protocol";
import { commandOf, noteOf, type WorkMessage } from "./command-of.ts";
import type { Holders } from "./holders.ts";
import type { Probes } from "./probes.ts";
import type { Session } from "./session.ts";

/**
 * A `ready` that was sent before the relay had read an offer is answered by that offer. If the relay says nothing about the
 * offer within this time, the `ready` is carried out after all.
 */
const CROSSING_MS = 5000;
/** Maximum number of messages that wait for an older connection's answer. */
const MOST_WAITING = 64;

export interface ConversationDeps {
  readonly holders: Holders;
  readonly probes: Probes;
  readonly batcher: CommandBatcher;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Called when a relay asks for work. */
  readonly onReady: (session: Session) => void;
  /** Called with what the agent of a task printed last, by the relay that holds the task. */
  readonly onPrinted: (lease: Lease, lines: readonly string[]) => void;
}

/**
 * Turns the messages of authenticated relays into commands, each relay's in order. While an older connection that holds the
 * task is pinged, the relay's messages wait.
 */
export class Conversation {
  readonly #deps: ConversationDeps;

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
  }

  /** Handles one message. */
  receive(session: Session, relayIdentity: RelayIdentity, message: RelayMessage, now: number): void {
    if (message.type === "ping") return session.send({ type: "pong" });
    if (message.type === "pong") return this.#deps.probes.answered(session);
    if (message.type === "auth_response") return;
    session.lastActivityAt = now;
    if (session.waiting !== undefined) {
      session.waiting.push(message);
      if (session.waiting.length > MOST_WAITING) session.close(closeCodes.policy, "too many frames before an answer");
      return;
    }
    const silent = this.#silentHolder(session, relayIdentity, message);
    if (silent === undefined) return this.#take(session, relayIdentity, message, now, undefined);
    const take = (connection: string | undefined) => {
      if (!session.closed) this.#take(session, relayIdentity, message, now, connection);
    };
    this.holdBack(session, silent.then(take));
  }

  /** Handles an unreadable message. If it claims a task, the claim is refused, because the relay waits for an answer. */
  receiveUnreadable(
    session: Session,
    relayIdentity: RelayIdentity,
    frame: { readonly type?: string; readonly taskId?: string },
  ): void {
    const { type, taskId } = frame;
    if (taskId === undefined || type !== "task_progress") return;
    // This connection holds the task: it loses only the unreadable message.
    if (this.#deps.ledger.lease(taskId)?.connection === relayIdentity.connection) return;
    session.send({ type: "task_revoke", task_id: taskId, reason: NO_ACTIVE_LEASE });
  }

  /** Keeps the relay's further messages waiting, in order, until the promise settles. */
  holdBack(session: Session, until: Promise<unknown>): void {
    session.waiting = [];
    const resume = () => this.#resume(session);
    void until.then(resume, resume);
  }

  /** Call when a `ready` was answered. One that came in the meantime is handled as if it came now. */
  answered(session: Session): void {
    const isAskedAgain = session.ready === "asked again";
    session.ready = "answered";
    if (!isAskedAgain || session.closed || session.relayIdentity === undefined) return;
    this.receive(session, session.relayIdentity, { type: "ready" }, this.#deps.clock.now());
  }

  #resume(session: Session): void {
    const waiting = session.waiting ?? [];
    session.waiting = undefined;
    const now = this.#deps.clock.now();
    for (const [at, message] of waiting.entries()) {
      if (session.closed || session.relayIdentity === undefined) return;
      this.receive(session, session.relayIdentity, message, now);
      if (!isWaiting(session)) continue;
      // This message waits again, and so do all messages after it.
      session.waiting = waiting.slice(at + 1);
      return;
    }
  }

  #silentHolder(session: Session, relayIdentity: RelayIdentity, message: WorkMessage) {
    if (message.type === "ready") return undefined;
    return this.#deps.holders.silentHolder(message.task_id, relayIdentity, session.connectedAt);
  }

  #take(
    session: Session,
    relayIdentity: RelayIdentity,
    message: WorkMessage,
    now: number,
    silent: string | undefined,
  ): void {
    if (message.type === "task_progress") session.note = noteOf(message);
    this.#hearPrinted(relayIdentity, message);
    if (message.type === "ready") {
      if (this.#crosses(session, relayIdentity, message, now)) return;
      // The answer that is being decided may be an offer, which a second command would take back at once.
      const isUndecided = session.ready !== "answered";
      session.ready = isUndecided ? "asked again" : "asked";
      if (isUndecided) return;
      this.#deps.onReady(session);
      session.readyAt ??= now;
      this.#deps.batcher.submit({ kind: "ready", ...relayIdentity, ...session.asking });
      return;
    }
    if (message.task_id === session.offered?.taskId) session.offered = undefined;
    this.#deps.batcher.submit(commandOf(message, relayIdentity, silent));
  }

  /** Looks only at reports of the task's holder: nobody writes into another's output. */
  #hearPrinted({ connection }: RelayIdentity, message: WorkMessage): void {
    if (!("tmux_output" in message) || message.tmux_output === undefined || message.tmux_output.length === 0) return;
    const lease = this.#deps.ledger.lease(message.task_id);
    const { task_gen: gen = lease?.gen } = message;
    if (lease?.connection === connection && lease.gen === gen) this.#deps.onPrinted(lease, message.tmux_output);
  }

  /**
   * Whether the relay sent this `ready` before it had read the last offer. If the offer stays unanswered, the `ready` is
   * carried out later.
   */
  #crosses(session: Session, relayIdentity: RelayIdentity, ready: WorkMessage, now: number): boolean {
    const { offered } = session;
    if (offered === undefined) return false;
    const { clock } = this.#deps;
    const leftMs = offered.at + CROSSING_MS - now;
    if (leftMs <= 0) return false;
    if (offered.isCrossed) return true;
    offered.isCrossed = true;
    clock.after(leftMs, () => {
      if (session.offered === offered && !session.closed)
        this.#take(session, relayIdentity, ready, clock.now(), undefined);
    });
    return true;
  }
}

function isWaiting(session: Session): boolean {
  return session.waiting !== undefined;
}
