/**
 * Keys looked at by one query: the embedded database answers on the thread that relays wait for, and a thousand rows take it less than a
 * millisecond.
 */
export const SPAN = 1000;

export interface Search<Row> {
  /** The first key that there is. */
  readonly first: number;
  /** Keys from here on are not looked at. */
  readonly below: number;
  readonly limit: number;
  /** The first rows, newest first and at most `most`, with keys from `low` on and below `high`. */
  readonly read: (span: { readonly low: number; readonly high: number }, most: number) => Promise<readonly Row[]>;
  /** Whether nothing can be found before this key. */
  readonly isOver?: (low: number) => Promise<boolean>;
  /** Nobody waits for the rows any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The newest rows that a search finds, in the order of a growing key, a span of keys at a time. Between two spans others get their turn. */
export async function newestFirst<Row>({ first, below, limit, read, isOver, signal }: Search<Row>): Promise<Row[]> {
  const found: Row[] = [];
  let high = below;
  while (high > first && found.length < limit && signal?.aborted !== true) {
    const low = Math.max(first, high - SPAN);
    found.push(...(await read({ low, high }, limit - found.length)));
    if ((await isOver?.(low)) === true) break;
    high = low;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** Everything that is found, some at a time, while `signal` is not aborted: `read` reads what is below a key, `keyOf` is a row's key. */
export async function* allInParts<Row>(
  read: (below: number, most: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => number,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let below = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const some = await read(below, SPAN);
    if (signal?.aborted === true) return;
    if (some.length > 0) yield some;
    const last = some.at(-1);
    if (last === undefined || some.length < SPAN) return;
    below = keyOf(last);
  }
}
