import type { CancelTimer, Clock } from "@nest/kit";
import type { Session } from "./session.ts";

interface Probe {
  readonly answered: Promise<boolean>;
  readonly settle: (isAlive: boolean) => void;
  readonly cancel: CancelTimer;
}

/**
 * Asks sockets whether they live. A relay that lost its network comes back on a new socket while the old one still looks open
 * here; another machine of the same contributor comes on a new socket while the old one works on. Only the old one's answer
 * to a ping tells the two apart (contract §8, Wire 2).
 */
export class Probes {
  readonly #clock: Clock;
  readonly #probeMs: number;
  readonly #onSilent: (session: Session) => void;
  readonly #running = new Map<Session, Probe>();

  /** `onSilent` is told of a socket that did not answer, before anybody who asked is. */
  constructor(clock: Clock, probeMs: number, onSilent: (session: Session) => void) {
    this.#clock = clock;
    this.#probeMs = probeMs;
    this.#onSilent = onSilent;
  }

  /** Pings a socket and resolves with whether it answered in time. Who asks meanwhile shares the answer. */
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

  /** A socket answered a ping. */
  answered(session: Session): void {
    session.answeredAt = this.#clock.now();
    this.#end(session, true);
  }

  /** A socket is gone. */
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
