import type { Queue, RelayIdentity } from "@nest/dispatch";
import type { Session } from "./session.ts";

/** Relays that were told there is no work: those that can be told get some as soon as there is. */
export class WaitingRelays {
  readonly #queue: Queue;
  readonly #lookFor: (relayIdentity: RelayIdentity) => void;
  readonly #sessions = new Set<Session>();
  #isScheduled = false;

  /** `lookFor` looks for work for a relay, and tells it only when there is some. */
  constructor(queue: Queue, lookFor: (relayIdentity: RelayIdentity) => void) {
    this.#queue = queue;
    this.#lookFor = lookFor;
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  delete(session: Session): void {
    this.#sessions.delete(session);
  }

  /** Work came on offer, or the rules have changed. */
  offer(): void {
    if (this.#isScheduled || this.#sessions.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      let left = this.#queue.actionable;
      for (const session of this.#sessions) {
        if (left <= 0) break;
        if (!session.acceptsPushes || session.relayIdentity === undefined) continue;
        left -= 1;
        this.#lookFor(session.relayIdentity);
      }
    });
  }
}
