import type { CancelTimer, Clock } from "@nest/kit";
import type { Session } from "./session.ts";

interface Probe {
  readonly answered: Promise<boolean>;
  readonly settle: (isAlive: boolean) => void;
  readonly cancel: CancelTimer;
}

/**
 * Pings connections to see whether they are alive. After a network failure a relay reconnects while its old connection still
 * looks open here; another machine of the same contributor also opens a new connection while the old one is in use. Only the
 * old connection's pong tells the two cases apart.
 */
export class Probes {
  readonly #clock: Clock;
  readonly #probeMs: number;
  readonly #onSilent: (session: Session) => void;
  readonly #running = new Map<Session, Probe>();

  /** `onSilent` is called with a connection that did not answer, before any caller of `ask` gets the result. */
  constructor(clock: Clock, probeMs: number, onSilent: (session: Session) => void) {
    this.#clock = clock;
    this.#probeMs = probeMs;
    this.#onSilent = onSilent;
  }

  /** Pings a connection and resolves with whether it answered in time. Calls made meanwhile share the result. */
  ask(session: Session): Promise<boolean> {
    const running = this.#running.get(session);
    if (running !== undefined) return running.answered;
    const { promise: answered, resolve: settle } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.after(this.#probeMs, () => {
      this.#onSilent(session);
      this.#end(session, false);
    });
    this.#running.set(session, { answered, settle, cancel });
    session.ping();
    return answered;
  }

  /** A connection answered a ping. */
  answered(session: Session): void {
    session.answeredAt = this.#clock.now();
    this.#end(session, true);
  }

  /** A connection was closed. */
  gone(session: Session): void {
    this.#end(session, false);
  }

  #end(session: Session, isAlive: boolean): void {
    const probe = this.#running.get(session);
    if (probe === undefined) return;
    this.#running.delete(session);
    probe.cancel();
    probe.settle(isAlive);
  }
}
