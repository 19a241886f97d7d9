import type { Entry } from "./entry.ts";

/** The empty places before the head that are kept before the list is moved together. */
const MOST_SPARE = 1024;

/**
 * One repository's issues on offer, best first: fewer recent failures, then the older issue. Kept in order by binary search;
 * the head moves on without moving the rest, because issues are nearly always taken from there.
 */
export class ReadyList {
  #entries: (Entry | undefined)[] = [];
  #head = 0;
  /** The queue's turn at which this repository was served last. */
  servedAt = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  insert(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (at === this.#head && this.#head > 0) {
      this.#head -= 1;
      this.#entries[this.#head] = entry;
    } else {
      this.#entries.splice(at, 0, entry);
    }
  }

  remove(entry: Entry): void {
    const at = this.#placeOf(entry);
    if (this.#entries[at]?.key !== entry.key) return;
    if (at !== this.#head) {
      this.#entries.splice(at, 1);
      return;
    }
    this.#entries[at] = undefined;
    this.#head += 1;
    if (this.#head < MOST_SPARE || this.#head < this.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }

  /** The number (from 0) of an entry in the list; undefined for one that is not in it. */
  indexOf(entry: Entry): number | undefined {
    const at = this.#placeOf(entry);
    return this.#entries[at]?.key === entry.key ? at - this.#head : undefined;
  }

  /** The entry with a number (from 0). */
  at(index: number): Entry | undefined {
    return this.#entries[this.#head + index];
  }

  /** The entries as they stand at the call of each step; the one just given may be removed meanwhile. */
  *inOrder(): Generator<Entry> {
    for (let nth = 0; ; ) {
      const entry = this.#entries[this.#head + nth];
      if (entry === undefined) return;
      yield entry;
      if (this.#entries[this.#head + nth]?.key === entry.key) nth += 1;
    }
  }

  #placeOf(entry: Entry): number {
    let low = this.#head;
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
