/** An issue under way is told as withheld, because it is not on offer; on pages it is counted where it is worked on. */
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
