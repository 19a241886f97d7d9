import { expect, test } from "vitest";
import { allInParts, newestFirst, SPAN } from "./newest-first.ts";

/** Rows with keys 1 to `count` of which those are found that `isWanted` picks. */
function table(count: number, isWanted: (key: number) => boolean) {
  const looked: { readonly low: number; readonly high: number }[] = [];
  const read = async ({ low, high }: { low: number; high: number }, most: number) => {
    looked.push({ low, high });
    const keys = [];
    for (let key = high - 1; key >= low && keys.length < most; key -= 1) if (isWanted(key)) keys.push(key);
    return keys;
  };
  return { looked, read, first: 1, below: count + 1 };
}

test("the rows at both ends of every span are found, each once and newest first", async () => {
  const count = 5 * SPAN + 7;
  const isAtAnEnd = (key: number) => (count - key) % SPAN === 0 || (count - key) % SPAN === SPAN - 1;
  const found = await newestFirst({ ...table(count, isAtAnEnd), limit: 100 });
  const wanted = Array.from({ length: count }, (_, nth) => count - nth).filter(isAtAnEnd);
  expect(found).toEqual(wanted);
});

test("no span is wider than said, and none is looked at once there are enough rows", async () => {
  const { looked, ...all } = table(10 * SPAN, (key) => key % 100 === 0);
  expect(await newestFirst({ ...all, limit: 15 })).toHaveLength(15);
  expect(looked).toHaveLength(2);
  expect(looked.every(({ low, high }) => high - low <= SPAN)).toBe(true);
});

test("the search ends where nothing older can be found", async () => {
  const { looked, ...all } = table(10 * SPAN, () => false);
  await newestFirst({ ...all, limit: 5, isOver: async (low) => low < 8 * SPAN });
  expect(looked).toHaveLength(3);
});

test.each([0, 1, SPAN - 1, SPAN, SPAN + 1, 3 * SPAN])("all of %i rows come in parts, each once", async (count) => {
  const read = async (below: number, most: number) => {
    const keys = [];
    for (let key = Math.min(below - 1, count); key >= 1 && keys.length < most; key -= 1) keys.push(key);
    return keys;
  };
  const seen: number[] = [];
  for await (const some of allInParts(read, (key) => key)) seen.push(...some);
  expect(seen).toEqual(Array.from({ length: count }, (_, nth) => count - nth));
});
