import type { Clock, Reading } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import type { RecordStore } from "@nest/provisioner";

type Owned = Pick<HostedNestRecord, "id" | "owner">;

const MOST_KEPT = 10_000;

/**
 * Records of nests for who asks many times a second: read from disk again when they are older than the reader allows (who
 * asks meanwhile gets the old one, up to twice that age), or when this hub has changed them. A malformed record counts as none.
 */
export class RecentNests {
  readonly #records: Pick<RecordStore, "read">;
  readonly #clock: Clock;
  #changes = 0;
  readonly #known = new Map<string, { readonly nest: Owned | undefined; readonly at: number }>();
  /** Reads that are under way: who asks meanwhile waits for them, and starts none. */
  readonly #reading = new Map<string, Promise<Owned | undefined>>();

  constructor({ records, clock }: { readonly records: Pick<RecordStore, "read" | "onChange">; readonly clock: Clock }) {
    this.#records = records;
    this.#clock = clock;
    records.onChange((id) => {
      this.#changes += 1;
      this.#known.delete(id);
      this.#reading.delete(id);
    });
  }

  async read(id: string, { maxAgeMs = 0 }: Reading): Promise<Owned | undefined> {
    const known = this.#known.get(id);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.at;
    if (known !== undefined && age < maxAgeMs) return known.nest;
    let reading = this.#reading.get(id);
    if (reading === undefined) {
      reading = this.#readNow(id).finally(() => this.#reading.delete(id));
      this.#reading.set(id, reading);
    }
    return known === undefined || age >= 2 * maxAgeMs ? reading : known.nest;
  }

  async #readNow(id: string): Promise<Owned | undefined> {
    const changes = this.#changes;
    const nest = await this.#records.read(id).catch(() => undefined);
    // Anybody may ask for any id.
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    if (changes === this.#changes) this.#known.set(id, { nest, at: this.#clock.now() });
    return nest;
  }
}
