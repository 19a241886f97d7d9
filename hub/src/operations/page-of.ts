/**
 * One page of a list that is in memory, and the cursor of the next page where there is one. A cursor is how many rows came
 * before; what is not a number begins at the first.
 */
export function pageOf<Row>(
  all: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): { readonly rows: Row[]; readonly from: number; readonly next: { readonly next_cursor?: string } } {
  const from = Number.parseInt(cursor ?? "0", 10) || 0;
  const rows = all.slice(from, from + limit);
  const to = from + rows.length;
  return { rows, from, next: to < all.length ? { next_cursor: String(to) } : {} };
}
