import { type Bus, identityOf } from "@nest/dispatch";
import type { CancelTimer, Clock } from "@nest/kit";
import type { contribute } from "@nest/protocol";

/** A relay that is connected to another replica. */
export interface RemoteRelay {
  readonly row: contribute.FleetRelay;
  /** The text of its last progress report. */
  readonly note: string | undefined;
}

const TOPIC = "relays";
const CHANGED = "changed";
const CHANGE_TOLD_AFTER_MS = 1000;
/** Cache lifetime of other replicas' relay lists. */
const FRESH_MS = 1000;
/** A replica that does not answer within this time is shown without its relays. */
const ANSWER_WITHIN_MS = 1500;

/** The relays of the hub's other replicas, for people who watch. */
export class Peers {
  readonly #bus: Bus;
  readonly #clock: Clock;
  #relays: readonly RemoteRelay[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #cancelAnnouncement: CancelTimer | undefined;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Answers other replicas' questions with this replica's relays. */
  tell(own: () => readonly RemoteRelay[]): void {
    this.#bus.answer(TOPIC, async () => own());
  }

  /** Announces a change of this replica's relays; the other replicas know of it within a second. */
  changed(): void {
    if (this.#bus.others === 0) return;
    this.#cancelAnnouncement ??= this.#clock.after(CHANGE_TOLD_AFTER_MS, () => {
      this.#cancelAnnouncement = undefined;
      void this.#bus.tell(CHANGED, {}).catch(() => undefined);
    });
  }

  /** Calls `act` when another replica's relays changed. */
  onChanged(act: () => void): void {
    this.#bus.on(CHANGED, act);
  }

  /** Whether another replica has a connection of this identity; uses the cached lists when no replica answers. */
  async have(identity: string): Promise<boolean> {
    await this.refreshed();
    return this.relays().some(({ row }) => identityOf(row.contributor_id, row.session) === identity);
  }

  /** The cached relays of the other replicas. */
  relays(): readonly RemoteRelay[] {
    return this.#bus.others === 0 ? [] : this.#relays;
  }

  /**
   * Resolves when the cached lists are at most a second old; undefined when they already are, or when there is no other
   * replica.
   */
  refreshed(): Promise<void> | undefined {
    if (this.#bus.others === 0) return undefined;
    if (this.#clock.now() - this.#askedAt < FRESH_MS && this.#asking === undefined) return undefined;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const answers = await this.#bus
      .ask(TOPIC, {}, { withinMs: ANSWER_WITHIN_MS, enough: Number.POSITIVE_INFINITY })
      .catch(() => []);
    this.#askedAt = this.#clock.now();
    this.#relays = answers.flatMap((answer) => (Array.isArray(answer) ? answer.filter(isRelay) : []));
  }
}

function isRelay(value: unknown): value is RemoteRelay {
  const row = (value as Partial<RemoteRelay> | null)?.row;
  return typeof row?.connection_id === "string" && typeof row.contributor_id === "string";
}
