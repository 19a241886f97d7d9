/** The furthest place that an issue can be moved to: what stands before it is put in front as well, and that list has an end. */
export const LAST_PLACE = 500;

/** What is wrong with a number to move an issue to; undefined when nothing is. */
export function placeFault(place: number | string, most: number): string | undefined {
  const number = typeof place === "string" && place.trim() === "" ? Number.NaN : Number(place);
  if (Number.isInteger(number) && number >= 1 && number <= most) return undefined;
  return most < LAST_PLACE ? `a number from 1 to ${most}: so many are on offer` : `a number from 1 to ${most}`;
}

export interface Placed {
  readonly key: string;
  readonly ordered?: boolean | undefined;
}

/**
 * What to put in front of the queue so that `key` becomes number `to` (from 0) of what is on offer. `head` is how the queue
 * begins now, at least as far as `to` and as what is put in front; `before` is the list in force. Issues in it that are not on
 * offer right now keep their places behind, however many there are: the hub refuses a list that is too long.
 */
export function orderAfterMove(head: readonly Placed[], before: readonly string[], key: string, to: number): string[] {
  const others = head.filter((item) => item.key !== key);
  const last = others.findLastIndex((item) => item.ordered === true);
  const kept = others.slice(0, Math.max(to, last + 1)).map((item) => item.key);
  const front = [...kept.slice(0, to), key, ...kept.slice(to)];
  const known = new Set(front);
  return [...front, ...before.filter((one) => !known.has(one))];
}

/** Which item is drawn at a place while the one from `from` is dragged over `to`. */
export function sourceOf(place: number, from: number, to: number): number {
  if (place === to) return from;
  const among = place < to ? place : place - 1;
  return among < from ? among : among + 1;
}
