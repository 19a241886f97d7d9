/**
 * Works on several items at once and gives the results in the order of the items. At most `atOnce` are under way, and nothing
 * more is taken from the source until a result was wanted.
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
      // A failure is heard when its turn comes; until then it must not count as unheard.
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
