import { queue } from "@nest/protocol";

/** No act takes more issues at a time than this. */
export const MOST_SELECTED = queue.MOST_ORDERED;

/** The same selection with an issue in it, or without it where it was in it. Beyond the limit nothing is added. */
export function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key) && next.size < MOST_SELECTED) next.add(key);
  return next;
}

/** The first issues of a list, as many as one act takes. */
export function firstOf(keys: readonly string[]): ReadonlySet<string> {
  return new Set(keys.slice(0, MOST_SELECTED));
}
