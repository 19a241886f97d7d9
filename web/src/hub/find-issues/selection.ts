import { queue } from "@nest/protocol";

/** No act takes more issues at a time than this. */
export const MOST_SELECTED = queue.MOST_ORDERED;

/** The same selection with an issue in it, or without it where it was in it. Beyond the limit nothing is added. */
export function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key) && next.size < MOST_SELECTED) next.add(key);
  return next;
}

/** The same selection with all rows between two in it, or without them where the last was in it. Beyond the limit nothing is added. */
export function rangeToggled(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): ReadonlySet<string> {
  const [one, other] = [keys.indexOf(from), keys.indexOf(to)];
  if (one < 0 || other < 0) return toggled(selected, to);
  const range = keys.slice(Math.min(one, other), Math.max(one, other) + 1);
  if (selected.has(to)) return new Set([...selected].filter((key) => !range.includes(key)));
  return firstOf([...new Set([...selected, ...range])]);
}

/** The first issues of a list, as many as one act takes. */
export function firstOf(keys: readonly string[]): ReadonlySet<string> {
  return new Set(keys.slice(0, MOST_SELECTED));
}
