import type { Entry } from "./entry.ts";
import type { ReadyList } from "./ready-list.ts";

/** The order in which issues are handed out. */
export interface HandOutOrder {
  /** What operators put in front, of what is on offer. */
  readonly ordered: readonly Entry[];
  /** The repositories with something on offer, in the order of their turns. */
  readonly lists: readonly ReadyList[];
  readonly listOf: (entry: Entry) => ReadyList | undefined;
}

/**
 * The number (from 1) of an issue on offer; undefined when it is in no list. Counted from the lengths of the lists instead of
 * going through them, because many people may ask for it.
 */
export function placeOf(entry: Entry, { ordered, lists, listOf }: HandOutOrder): number | undefined {
  const inFront = ordered.indexOf(entry);
  if (inFront >= 0) return inFront + 1;
  const own = listOf(entry);
  const index = own?.indexOf(entry);
  if (own === undefined || index === undefined) return undefined;
  const taken = new Map<ReadyList | undefined, number>();
  // Repositories take turns, an issue each: the round in which it is this one's.
  let round = index;
  for (const one of ordered) {
    const list = listOf(one);
    taken.set(list, (taken.get(list) ?? 0) + 1);
    if (list === own && (own.indexOf(one) ?? index) < index) round -= 1;
  }
  let before = ordered.length;
  let isBeforeOwn = true;
  for (const list of lists) {
    if (list === own) isBeforeOwn = false;
    before += Math.min(list.length - (taken.get(list) ?? 0), isBeforeOwn ? round + 1 : round);
  }
  return before + 1;
}
