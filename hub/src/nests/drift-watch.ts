import { type CancelTimer, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { nests } from "@nest/protocol";
import type { Provisioner, RecordStore } from "@nest/provisioner";

export interface DriftWatchDeps {
  readonly records: Pick<RecordStore, "list" | "onChange">;
  readonly provisioner: Pick<Provisioner, "driftOf">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Whether this replica of the hub is the one that works on clusters. */
  readonly isAtWork: () => boolean;
}

/** Every nest is compared with what the hub wants about this often. */
const ROUND_MS = 10 * 60_000;
const CALL_MS = 30_000;

/** Compares nests with what the hub wants of them, one after the other all day, and remembers what differs since when. */
export class DriftWatch {
  readonly #deps: DriftWatchDeps;
  readonly #found = new Map<string, readonly nests.Drift[]>();
  #stop: CancelTimer = () => {};
  readonly #forget: () => void;
  #isClosed = false;

  constructor(deps: DriftWatchDeps) {
    this.#deps = deps;
    // What differed before an operation is no news after it: it is looked at again when the operation is done.
    this.#forget = deps.records.onChange((id, record) => {
      if (record?.operation !== undefined) this.#found.delete(id);
    });
  }

  /** What differed when a nest was looked at last; empty for one that was not looked at yet. */
  of(nestId: string): readonly nests.Drift[] {
    return this.#found.get(nestId) ?? [];
  }

  start(): void {
    const { clock, random } = this.#deps;
    this.#stop = clock.after(
      ROUND_MS * (0.5 + random.fraction()),
      () => void this.#round().finally(() => this.#again()),
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#forget();
    this.#stop();
  }

  #again(): void {
    if (!this.#isClosed) this.start();
  }

  async #round(): Promise<void> {
    const { records, log, isAtWork } = this.#deps;
    if (!isAtWork()) return;
    const settled = (await records.list()).filter(({ operation, status }) => operation === undefined && status !== "");
    for (const id of [...this.#found.keys()]) if (!settled.some((record) => record.id === id)) this.#found.delete(id);
    for (const { id } of settled) {
      if (this.#isClosed) return;
      await this.look(id).catch((thrown: unknown) => {
        log.warn({ nest: id, because: sentenceOf(thrown) }, "a nest could not be compared with what it should be");
      });
    }
  }

  /** Looks at one nest now. */
  async look(id: string): Promise<readonly nests.Drift[]> {
    const { provisioner, clock } = this.#deps;
    const before = this.of(id);
    const since = new Date(clock.now()).toISOString();
    const found = (await provisioner.driftOf(id, AbortSignal.timeout(CALL_MS))).map((drift) => {
      const known = before.find(({ what, field }) => what === drift.what && field === drift.field);
      return { ...drift, since: known?.since ?? since };
    });
    this.#found.set(id, found);
    return found;
  }
}
