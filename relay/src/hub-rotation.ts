import type { CancelTimer, Clock } from "@nest/kit";
import { type Durations, durations } from "@nest/protocol";
import type { Session } from "./session/session.ts";

/**
 * A hub that does not answer a `ready`: after `PATIENCE` intervals the next hub is asked; after `LOST_AFTER` intervals the
 * `ready` counts as lost, and this hub may be asked again.
 */
const PATIENCE = 2;
const LOST_AFTER = 10;
/** The longest wait that a hub may ask for. */
const LONGEST_RETRY_S = 24 * 3600;

/**
 * Decides which hub is asked for work: one at a time, in rotation, and after `task_unavailable` not before the time that the
 * hub named. A hub takes part once it has authenticated and has received its resume and its outbox.
 */
export class HubRotation {
  readonly #sessions: readonly Session[];
  readonly #clock: Clock;
  readonly #numbers: Durations;
  readonly #notBefore = new Map<Session, number>();
  #at = 0;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(sessions: readonly Session[], clock: Clock, numbers: Durations) {
    this.#sessions = sessions;
    this.#clock = clock;
    this.#numbers = numbers;
  }

  /** The hub may be asked from now on. */
  admit(session: Session): void {
    this.#notBefore.set(session, 0);
  }

  /** The hub is away: not to be asked before it is admitted again. */
  leave(session: Session): void {
    this.#notBefore.delete(session);
  }

  answered(session: Session): void {
    this.#notBefore.set(session, 0);
  }

  /** The hub had no work: it is not asked before `retryAfterS`, or 30 s, from now. */
  unavailable(session: Session, retryAfterS: number | undefined): void {
    const { askAgainMs } = this.#numbers;
    // Under a test clock the hub's whole seconds are too coarse: never ask more often than at the normal interval.
    const scale = durations.askAgainMs / askAgainMs;
    const saidMs = retryAfterS === undefined ? askAgainMs : (Math.min(retryAfterS, LONGEST_RETRY_S) * 1000) / scale;
    const waitMs = scale === 1 ? Math.max(1, saidMs) : Math.max(askAgainMs, saidMs);
    this.#notBefore.set(session, this.#clock.now() + waitMs);
  }

  /** Whether another hub has been asked and may still answer. */
  isAnotherAsked(session: Session): boolean {
    const now = this.#clock.now();
    return this.#sessions.some(
      (other) =>
        other !== session &&
        other.isAuthenticated &&
        other.readySentAt !== undefined &&
        this.#waitedFor(other, now) < this.#patienceMs(),
    );
  }

  /** When the hub may be asked next; undefined while it is away. */
  nextAt(session: Session): number | undefined {
    return this.#notBefore.get(session);
  }

  cancel(): void {
    this.#cancelTimer();
  }

  /**
   * Asks the next hub that may be asked now and that `isWanted` accepts. While an answer is due, or no hub may be asked yet,
   * sets a timer for `again` instead.
   */
  askNext(ask: (session: Session) => void, again: () => void, isWanted: (session: Session) => boolean): void {
    this.#cancelTimer();
    const now = this.#clock.now();
    const present = this.#inOrder().filter(
      (session) => session.isAuthenticated && this.#notBefore.has(session) && isWanted(session),
    );
    for (const session of present) if (this.#waitedFor(session, now) >= this.#lostMs(session)) session.forgetReady();
    const asked = present.find(
      (session) => this.#waitedFor(session, now) < this.#patienceMs() && session.readySentAt !== undefined,
    );
    if (asked !== undefined) {
      this.#later(this.#patienceMs() - this.#waitedFor(asked, now), again);
      return;
    }
    const free = present.filter((session) => session.readySentAt === undefined);
    const due = free.find((session) => (this.#notBefore.get(session) ?? 0) <= now);
    if (due !== undefined) {
      this.#at = this.#sessions.indexOf(due) + 1;
      ask(due);
      this.#later(this.#patienceMs(), again);
      return;
    }
    if (present.length === 0) return;
    const waits = free.map((session) => (this.#notBefore.get(session) ?? 0) - now);
    this.#later(Math.min(this.#patienceMs(), ...waits), again);
  }

  #inOrder(): readonly Session[] {
    const from = this.#at % Math.max(1, this.#sessions.length);
    return [...this.#sessions.slice(from), ...this.#sessions.slice(0, from)];
  }

  #waitedFor(session: Session, now: number): number {
    return session.readySentAt === undefined ? 0 : now - session.readySentAt;
  }

  #patienceMs(): number {
    return this.#numbers.askAgainMs * PATIENCE;
  }

  /** A hub that says nothing when it has no work may be asked again as soon as the next one could be asked. */
  #lostMs({ answersReady }: Session): number {
    return answersReady ? this.#numbers.askAgainMs * LOST_AFTER : this.#patienceMs();
  }

  #later(delayMs: number, again: () => void): void {
    this.#cancelTimer = this.#clock.after(Math.max(1, delayMs), again);
  }
}
