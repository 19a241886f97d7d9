import type { Entry } from "./entry.ts";
import type { HandOutOrder } from "./place-of.ts";
import type { ReadyList } from "./ready-list.ts";

/** A part of the issues on offer, in the order in which they would be handed out. */
export interface OrderedPage {
  readonly entries: readonly Entry[];
  /** How many there are in all. */
  readonly total: number;
}

/**
 * The issues on offer from a place (from 0) on. The place is found from the lengths of the lists instead of going through them,
 * because every open page asks for a part of a long queue again and again.
 */
export function pageInOrder(
  { ordered, lists, listOf }: HandOutOrder,
  { from, limit }: { readonly from: number; readonly limit: number },
): OrderedPage {
  const inFront = new Map<ReadyList | undefined, number[]>();
  for (const entry of ordered) {
    const list = listOf(entry);
    const index = list?.indexOf(entry);
    if (index === undefined) continue;
    const places = inFront.get(list) ?? [];
    inFront.set(list, places);
    places.push(index);
  }
  const rests = lists.map((list) => new Rest(list, inFront.get(list) ?? []));
  const total = ordered.length + rests.reduce((sum, { length }) => sum + length, 0);
  const entries = ordered.slice(from, from + limit);
  const skipped = Math.max(0, from - ordered.length);
  let round = roundOf(skipped, rests);
  let left = skipped - countBefore(round, rests);
  for (; entries.length < limit && rests.some(({ length }) => round < length); round += 1) {
    for (const rest of rests) {
      if (round >= rest.length || entries.length === limit) continue;
      const entry = left > 0 ? undefined : rest.at(round);
      left -= 1;
      if (entry !== undefined) entries.push(entry);
    }
  }
  return { entries, total };
}

/** A repository's issues without those that stand in front of all repositories. */
class Rest {
  readonly #list: ReadyList;
  /** Places in the list of those in front, the lowest first. */
  readonly #taken: readonly number[];

  constructor(list: ReadyList, taken: readonly number[]) {
    this.#list = list;
    this.#taken = taken.toSorted((a, b) => a - b);
  }

  get length(): number {
    return this.#list.length - this.#taken.length;
  }

  at(index: number): Entry | undefined {
    let place = index;
    for (const taken of this.#taken) if (taken <= place) place += 1;
    return this.#list.at(place);
  }
}

/** How many issues are handed out before a round begins: repositories take turns, an issue each. */
function countBefore(round: number, rests: readonly Rest[]): number {
  return rests.reduce((sum, { length }) => sum + Math.min(round, length), 0);
}

/** The last round that begins after no more than `count` issues. */
function roundOf(count: number, rests: readonly Rest[]): number {
  let low = 0;
  let high = Math.max(0, ...rests.map(({ length }) => length));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countBefore(middle, rests) <= count) low = middle;
    else high = middle - 1;
  }
  return low;
}
