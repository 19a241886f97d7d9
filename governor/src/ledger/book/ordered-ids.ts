interface Entry {
  readonly ms: number;
  readonly id: string;
}

/** Ids in the order of a time, oldest first; of the same time, in the order of the alphabet. */
export class OrderedIds {
  readonly #entries: Entry[];

  constructor(entries: Iterable<Entry> = []) {
    this.#entries = [...entries].sort(compare);
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (this.#entries[at]?.id !== entry.id) this.#entries.splice(at, 0, entry);
  }

  remove(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (this.#entries[at]?.id === entry.id) this.#entries.splice(at, 1);
  }

  first(count: number): string[] {
    return this.#entries.slice(0, count).map(({ id }) => id);
  }

  /** Where the entry is, or would be: no entry before that place comes after it. */
  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#entries[middle];
      if (other !== undefined && compare(other, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(one: Entry, other: Entry): number {
  if (one.ms !== other.ms) return one.ms - other.ms;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
