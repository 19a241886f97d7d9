import type { Queue, RelayIdentity } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { Session } from "./session.ts";

export interface WaitingRelaysDeps {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly times: Pick<Durations, "askAgainMs">;
  /** Looks for work for a relay, and sends something only when it finds some. */
  readonly lookFor: (relay: RelayIdentity & Session["asking"]) => void;
}

/**
 * Relays that asked for work when there was none. Those that accept pushes get work as soon as there is some. Those that never
 * ask again are looked after as often as a relay that does would ask: no event tells that a limit of theirs has passed.
 */
export class WaitingRelays {
  readonly #deps: WaitingRelaysDeps;
  readonly #sessions = new Set<Session>();
  readonly #stop: () => void;
  #isScheduled = false;

  constructor(deps: WaitingRelaysDeps) {
    this.#deps = deps;
    this.#stop = deps.clock.every(deps.times.askAgainMs, () => this.#askForSilentOnes());
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  delete(session: Session): void {
    this.#sessions.delete(session);
  }

  /** Ends the regular looks. */
  stop(): void {
    this.#stop();
  }

  /** Call when issues came on offer or the rules changed. */
  offer(): void {
    if (this.#isScheduled || this.#sessions.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      let left = this.#deps.queue.actionable;
      for (const session of this.#sessions) {
        if (left <= 0) break;
        const { manners, relayIdentity } = session;
        if (relayIdentity === undefined || !(manners.knows("task_push") || manners.neverAsksAgain)) continue;
        left -= 1;
        this.#deps.lookFor({ ...relayIdentity, ...session.asking });
      }
    });
  }

  #askForSilentOnes(): void {
    for (const { manners, relayIdentity, asking } of this.#sessions)
      if (manners.neverAsksAgain && relayIdentity !== undefined) this.#deps.lookFor({ ...relayIdentity, ...asking });
  }
}
