import type { Key, Settings } from "./faults.ts";

/** The list that each mode belongs to. */
const listOfMode: Partial<Record<Key, Key>> = {
  contribute_labels_mode: "contribute_deny_labels",
  contribute_titles_mode: "contribute_deny_titles",
  contribute_authors_mode: "contribute_deny_authors",
};

/**
 * Whether a change has no effect on the queue: a list with the same entries in another order or case or with repetitions, or the
 * mode of a list that is empty before and after.
 */
export function isWithoutEffect(key: Key, before: Settings, after: Settings): boolean {
  const list = listOfMode[key];
  if (list !== undefined) return isEmpty(before[list]) && isEmpty(after[list]);
  return Array.isArray(before[key]) && Array.isArray(after[key]) && entriesOf(before[key]) === entriesOf(after[key]);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A form of a list that ignores order, repetition and case. Regular expressions keep their case. */
function entriesOf(list: readonly string[]): string {
  const entries = list.map((entry) => (entry.startsWith("/") ? entry : entry.toLowerCase()));
  return JSON.stringify([...new Set(entries)].sort());
}
