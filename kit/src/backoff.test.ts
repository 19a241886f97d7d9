import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";
import { seededRandom } from "./random.ts";

const bounds = { firstMs: 1000, longestMs: 60_000 };

test.each([
  [0, 1000],
  [1, 2000],
  [5, 32_000],
  [6, 60_000],
  [5000, 60_000],
])("retry %i waits a random part of at most %i ms", (attempt, longest) => {
  const almostOne = { fraction: () => 0.999999, hex: () => "" };
  expect(backoffMs(attempt, bounds, almostOne)).toBe(longest);
  const waits = Array.from({ length: 200 }, () => backoffMs(attempt, bounds, seededRandom(Math.random() * 1e9)));
  expect(Math.min(...waits)).toBeLessThan(longest / 4);
});
