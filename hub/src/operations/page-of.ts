/**
 * One page of a list that is in memory, and the cursor of the next page where there is one. A cursor is how many rows came
 * before; what is not a number begins at the first.
 */
export function pageOf<Row>(
  all: readonly Row[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): { readonly rows: Row[]; readonly from: number; readonly next: { readonly next_cursor?: string } } {
  const from = placeIn(cursor);
  const rows = all.slice(from, from + limit);
  return { rows, from, next: nextAfter(from + rows.length, all.length) };
}

/** How many rows came before a cursor's page. */
export function placeIn(cursor: string | undefined): number {
  return Number.parseInt(cursor ?? "0", 10) || 0;
}

/** The cursor of the page that begins with row number `to` (from 0), where there is one. */
export function nextAfter(to: number, total: number): { readonly next_cursor?: string } {
  return to < total ? { next_cursor: String(to) } : {};
}
