/**
 * Processes several items in parallel and yields the results in the order of the items. At most `atOnce` run at a time, and
 * no further item is taken before a result was requested.
 */
export async function* inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of source) {
      const result = work(item);
      // The failure is thrown when its item is awaited; until then it must not count as an unhandled rejection.
      result.catch(() => {});
      underWay.push(result);
      if (underWay.length >= atOnce) yield await (underWay.shift() as Promise<Result>);
    }
    for (;;) {
      const result = underWay.shift();
      if (result === undefined) return;
      yield await result;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
