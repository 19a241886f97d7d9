/** Issues that are named of each kind of change. */
const MOST_NAMED = 3;

/** What is different between two lists of pinned issues, in words: which were pinned, which unpinned. Pure. */
export function differenceOfOrders(before: readonly string[], after: readonly string[]): string {
  const pinned = after.filter((key) => !before.includes(key));
  const unpinned = before.filter((key) => !after.includes(key));
  const parts = [
    ...(pinned.length === 0 ? [] : [`pinned meanwhile: ${named(pinned)}`]),
    ...(unpinned.length === 0 ? [] : [`unpinned meanwhile: ${named(unpinned)}`]),
  ];
  return parts.length === 0 ? "the same issues are pinned in another order" : parts.join("; ");
}

function named(keys: readonly string[]): string {
  const rest = keys.length - MOST_NAMED;
  return `${keys.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
