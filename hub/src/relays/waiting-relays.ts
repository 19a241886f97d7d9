import type { Queue, RelayIdentity } from "@nest/dispatch";
import type { Session } from "./session.ts";

/** Relays that asked for work when there was none. Those that accept pushes get work as soon as there is some. */
export class WaitingRelays {
  readonly #queue: Queue;
  readonly #lookFor: (relayIdentity: RelayIdentity) => void;
  readonly #sessions = new Set<Session>();
  #isScheduled = false;

  /** `lookFor` looks for work for a relay, and sends something only when it finds some. */
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

  /** Call when issues came on offer or the rules changed. */
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
