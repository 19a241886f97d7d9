import type { VerbCall } from "./verb.ts";

const PAGE = 500;
const USUAL = 100;

interface Page {
  readonly next_cursor?: string | undefined;
}

/** Rows of a list, page after page, until there are as many as `-limit` says; with `-all` every row. */
export async function rowsOf<One extends Page, Row>(
  { flags }: VerbCall,
  read: (paging: { limit: number; cursor: string | undefined }) => Promise<One>,
  rowsIn: (page: One) => readonly Row[],
): Promise<readonly Row[]> {
  const most = flags.all === true ? Number.POSITIVE_INFINITY : (flags.limit ?? USUAL);
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: Math.max(1, Math.min(PAGE, most - rows.length)), cursor });
    rows.push(...rowsIn(page));
    cursor = page.next_cursor;
  } while (cursor !== undefined && rows.length < most);
  return rows.slice(0, most);
}
