import { type Bus, identityOf } from "@nest/dispatch";
import type { CancelTimer, Clock } from "@nest/kit";
import type { contribute } from "@nest/protocol";

/** A relay whose socket is at another replica. */
export interface RemoteRelay {
  readonly row: contribute.FleetRelay;
  /** What it said last of its task. */
  readonly note: string | undefined;
}

const TOPIC = "relays";
const CHANGED = "changed";
const CHANGE_TOLD_AFTER_MS = 1000;
/** What others said of their relays is new enough for so long. */
const FRESH_MS = 1000;
/** A replica that has not answered by then is shown without its relays. */
const ANSWER_WITHIN_MS = 1500;

/** The relays of the hub's other replicas, as people watch them. */
export class Peers {
  readonly #bus: Bus;
  readonly #clock: Clock;
  #relays: readonly RemoteRelay[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #telling: CancelTimer | undefined;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** Tells others of our relays when they ask. */
  tell(own: () => readonly RemoteRelay[]): void {
    this.#bus.answer(TOPIC, async () => own());
  }

  /** Something about our relays has changed: whoever watches elsewhere hears of it within a second. */
  changed(): void {
    if (this.#bus.others === 0) return;
    this.#telling ??= this.#clock.after(CHANGE_TOLD_AFTER_MS, () => {
      this.#telling = undefined;
      void this.#bus.tell(CHANGED, {}).catch(() => undefined);
    });
  }

  /** Calls `act` when something about relays elsewhere has changed. */
  onChanged(act: () => void): void {
    this.#bus.on(CHANGED, act);
  }

  /** Whether a machine's relay is connected at another replica; answers with what is known when nobody can be asked. */
  async have(identity: string): Promise<boolean> {
    await this.refreshed();
    return this.relays().some(({ row }) => identityOf(row.contributor_id, row.session) === identity);
  }

  /** What is known now. */
  relays(): readonly RemoteRelay[] {
    return this.#bus.others === 0 ? [] : this.#relays;
  }

  /** Resolves when what is known is at most a second old; undefined when there is nobody to ask. */
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
