import type { Queue, RelayIdentity } from "@nest/dispatch";
import type { Clock } from "@nest/kit";
import type { Durations } from "@nest/protocol";
import type { Session } from "./session.ts";

export interface WaitingRelaysDeps {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly times: Pick<Durations, "askAgainMs">;
  /** Looks for work for a relay, and sends something only when it finds some. Resolves when that is decided; never rejects. */
  readonly lookFor: (relay: RelayIdentity & Session["asking"]) => Promise<void>;
}

/**
 * Relays that asked for work when there was none. Those that accept pushes get work as soon as there is some. Those that never
 * ask again are looked after as often as a relay that does would ask: no event tells that a limit of theirs has passed.
 */
export class WaitingRelays {
  readonly #deps: WaitingRelaysDeps;
  readonly #sessions = new Set<Session>();
  readonly #stop: () => void;
  /** Whether something came on offer since the relays were asked last. */
  #isWanted = false;
  #isOffering = false;

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
    this.#isWanted = true;
    if (this.#isOffering || this.#sessions.size === 0) return;
    this.#isOffering = true;
    setImmediate(() => void this.#offerAll());
  }

  async #offerAll(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      const asked = new Set<Session>();
      for (let some = this.#next(asked); some.length > 0; some = this.#next(asked)) {
        await Promise.all(some.map((relay) => this.#deps.lookFor(relay)));
        // What else happened meanwhile has its turn before the next ones are asked.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.#isOffering = false;
  }

  /**
   * As many relays as there are issues on offer, of those that were not asked yet; later as many again as were asked, so that thousands
   * that may have nothing are asked in a few batches. Who is asked goes behind all others: a relay that may not have what is on offer (a
   * pause, a limit) keeps it from nobody, now or the next time.
   */
  #next(asked: Set<Session>): (RelayIdentity & Session["asking"])[] {
    const relays: (RelayIdentity & Session["asking"])[] = [];
    const { actionable } = this.#deps.queue;
    const most = actionable === 0 ? 0 : Math.max(actionable, asked.size);
    for (const session of this.#sessions) {
      if (relays.length >= most || asked.has(session)) break;
      asked.add(session);
      this.#sessions.delete(session);
      this.#sessions.add(session);
      const { manners, relayIdentity } = session;
      if (relayIdentity === undefined || !(manners.knows("task_push") || manners.neverAsksAgain)) continue;
      relays.push({ ...relayIdentity, ...session.asking });
    }
    return relays;
  }

  #askForSilentOnes(): void {
    for (const { manners, relayIdentity, asking } of this.#sessions)
      if (manners.neverAsksAgain && relayIdentity !== undefined)
        void this.#deps.lookFor({ ...relayIdentity, ...asking });
  }
}
