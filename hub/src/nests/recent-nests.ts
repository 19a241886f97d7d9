import type { Clock, Reading } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import type { RecordStore } from "@nest/provisioner";

type Owned = Pick<HostedNestRecord, "id" | "owner">;

const MOST_KEPT = 10_000;

/**
 * Records of nests for who asks many times a second: read from disk again when they are older than the reader allows, or when
 * this hub has changed them. A malformed record counts as none.
 */
export class RecentNests {
  readonly #records: Pick<RecordStore, "read">;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly nest: Owned | undefined; readonly at: number }>();

  constructor({ records, clock }: { readonly records: Pick<RecordStore, "read" | "onChange">; readonly clock: Clock }) {
    this.#records = records;
    this.#clock = clock;
    records.onChange((id) => this.#known.delete(id));
  }

  async read(id: string, { maxAgeMs = 0 }: Reading): Promise<Owned | undefined> {
    const known = this.#known.get(id);
    const now = this.#clock.now();
    if (known !== undefined && now - known.at < maxAgeMs) return known.nest;
    const nest = await this.#records.read(id).catch(() => undefined);
    // Anybody may ask for any id.
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(id, { nest, at: now });
    return nest;
  }
}
