import { type Ledger, MESSAGE_PREFIX, PAUSE_PREFIX } from "@nest/dispatch";
import type { Roster } from "./roster.ts";
import type { WaitingRelays } from "./waiting-relays.ts";

export interface PausedRelaysDeps {
  readonly ledger: Ledger;
  readonly roster: Roster;
  readonly waiting: WaitingRelays;
  readonly now: () => number;
}

/**
 * Looks for work for relays whose pause an admin ended. Each replica does that for its own relays, because it hears of each
 * changed setting.
 */
export class PausedRelays {
  readonly #deps: PausedRelaysDeps;

  constructor(deps: PausedRelaysDeps) {
    this.#deps = deps;
  }

  /** Call when settings changed, with their names. */
  changed(names: Iterable<string>): void {
    for (const name of names) {
      if (name.startsWith(PAUSE_PREFIX)) this.#deps.waiting.offer();
      // That a pause after failures was ended is told to the contributor with a message.
      if (name.startsWith(MESSAGE_PREFIX)) this.#offerTo(name.slice(MESSAGE_PREFIX.length));
    }
  }

  /** A relay that was refused after failures waits for time to pass alone; where that is over sooner, it waits for work. */
  #offerTo(contributorId: string): void {
    const { ledger, roster, waiting, now } = this.#deps;
    if ((ledger.contributor(contributorId)?.pausedUntil ?? 0) > now()) return;
    for (const session of roster.of(contributorId))
      if (session.idleReason === "contributor_failure_streak") waiting.add(session);
    waiting.offer();
  }
}
