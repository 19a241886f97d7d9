/** The hub reports leased issues as withheld, because they are not on offer. Pages count them as under way instead. */
const UNDER_WAY = "leased";

/** Reasons for which issues are withheld, with how many, the most frequent first; those under way are none of them. */
export function withheldReasons(withheld: Readonly<Record<string, number>>): [reason: string, total: number][] {
  return Object.entries(withheld)
    .filter(([reason]) => reason !== UNDER_WAY)
    .sort((a, b) => b[1] - a[1]);
}

/** How many issues are withheld in all. */
export function withheldTotal(withheld: Readonly<Record<string, number>>): number {
  return withheldReasons(withheld).reduce((sum, [, total]) => sum + total, 0);
}
