import { Throttle } from "@nest/auth";
import type { CancelTimer, Clock } from "@nest/kit";

/** Who is away for less is not said to have left. */
const LEFT_AFTER_MS = 60_000;
/** Lines about one contributor's coming and going: under many session names there is much of it. */
const MOST_LINES = { most: 20, withinMs: 10 * 60_000 };

interface Here {
  sockets: number;
  /** What was said when it came; undefined when nothing was. */
  readonly said: string | undefined;
  leaving: CancelTimer | undefined;
}

export interface PresenceDeps {
  readonly clock: Clock;
  readonly say: (action: "joined" | "left", contributorId: string, detail: string) => void;
  /** Whether a relay is connected at another replica now. */
  readonly isElsewhere: (identity: string) => Promise<boolean>;
}

/**
 * What the activity feed says of relays that come and go: a line when one comes, a line once it has stayed away for a minute,
 * and nothing of a connection that flaps meanwhile. Nobody fills the database by connecting again and again.
 */
export class Presence {
  readonly #deps: PresenceDeps;
  readonly #here = new Map<string, Here>();
  readonly #lines: Throttle;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    this.#lines = new Throttle(deps.clock, MOST_LINES);
  }

  /** A socket of this identity was welcomed. */
  came(identity: string, contributorId: string, detail: string): void {
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

  /** A socket of this identity is gone. */
  went(identity: string, contributorId: string): void {
    const here = this.#here.get(identity);
    if (here === undefined) return;
    here.sockets -= 1;
    if (here.sockets > 0) return;
    here.leaving = this.#deps.clock.after(LEFT_AFTER_MS, () => void this.#stayedAway(identity, contributorId, here));
  }

  /** Nothing more is said. */
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
