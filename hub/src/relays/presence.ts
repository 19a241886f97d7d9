import { Throttle } from "@nest/auth";
import type { CancelTimer, Clock } from "@nest/kit";

/** A relay that reconnects within this time is not reported as having left. */
const LEFT_AFTER_MS = 60_000;
/** Maximum number of lines about one contributor's connections: many session names would make many lines. */
const MOST_LINES = { most: 20, withinMs: 10 * 60_000 };

interface Here {
  sockets: number;
  /** The text of the line at connecting; undefined when no line was written. */
  readonly said: string | undefined;
  leaving: CancelTimer | undefined;
}

export interface PresenceDeps {
  readonly clock: Clock;
  readonly say: (action: "joined" | "left", contributorId: string, detail: string) => void;
  /** Whether a relay of this identity is connected to another replica now. */
  readonly isElsewhere: (identity: string) => Promise<boolean>;
}

/**
 * Writes to the activity feed when relays connect and leave: a line on connecting and a line after a minute's absence, none
 * while a connection drops and returns in between. The number of lines is limited, so reconnecting again and again cannot
 * fill the database.
 */
export class Presence {
  readonly #deps: PresenceDeps;
  readonly #here = new Map<string, Here>();
  readonly #lines: Throttle;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    this.#lines = new Throttle(deps.clock, MOST_LINES);
  }

  /** A connection of this identity was admitted. */
  connected(identity: string, contributorId: string, detail: string): void {
    const known = this.#here.get(identity);
    if (known !== undefined) {
      known.sockets += 1;
      known.leaving?.();
      known.leaving = undefined;
      return;
    }
    const isSaid = this.#lines.count(contributorId) === 0;
    this.#here.set(identity, { sockets: 1, said: isSaid ? detail : undefined, leaving: undefined });
    if (isSaid) this.#deps.say("joined", contributorId, detail);
  }

  /** A connection of this identity was closed. */
  disconnected(identity: string, contributorId: string): void {
    const here = this.#here.get(identity);
    if (here === undefined) return;
    here.sockets -= 1;
    if (here.sockets > 0) return;
    here.leaving = this.#deps.clock.after(LEFT_AFTER_MS, () => void this.#stayedAway(identity, contributorId, here));
  }

  /** Stops writing lines. */
  stop(): void {
    for (const { leaving } of this.#here.values()) leaving?.();
    this.#here.clear();
  }

  async #stayedAway(identity: string, contributorId: string, here: Here): Promise<void> {
    if (here.said === undefined || (await this.#deps.isElsewhere(identity))) {
      if (here.sockets === 0) this.#forget(identity, here);
      return;
    }
    if (here.sockets > 0 || !this.#forget(identity, here)) return;
    this.#deps.say("left", contributorId, here.said);
  }

  #forget(identity: string, here: Here): boolean {
    return this.#here.get(identity) === here && this.#here.delete(identity);
  }
}
