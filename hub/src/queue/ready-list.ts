import type { Entry } from "./queue.ts";

/** One repository's issues on offer, best first: fewer recent failures, then the older issue. */
export class ReadyList {
  readonly #entries: Entry[] = [];
  /** The queue's turn at which this repository was served last. */
  servedAt = 0;

  get length(): number {
    return this.#entries.length;
  }

  insert(entry: Entry): void {
    this.#entries.splice(this.#placeOf(entry), 0, entry);
  }

  remove(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (this.#entries[at]?.key === entry.key) this.#entries.splice(at, 1);
  }

  /** The entries as they stand at the call of each step; one may be removed while going through. */
  *inOrder(): Generator<Entry> {
    let at = 0;
    for (;;) {
      const entry = this.#entries[at];
      if (entry === undefined) return;
      yield entry;
      if (this.#entries[at]?.key === entry.key) at += 1;
    }
  }

  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#entries[middle];
      if (other !== undefined && isBefore(other, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.failures !== b.failures ? a.failures < b.failures : a.number < b.number;
}
