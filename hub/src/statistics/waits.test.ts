import { waitColumns } from "@nest/dispatch";
import { expect, test } from "vitest";
import { waitColumnOf } from "./counting.ts";
import { waitOf } from "./waits.ts";

function countsOf(...waits: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const ms of waits) counts.set(waitColumnOf(ms), (counts.get(waitColumnOf(ms)) ?? 0) + 1);
  return counts;
}

test("without waits there is no percentile", () => {
  expect(waitOf(new Map([["completed", 3]]))).toBeUndefined();
});

test("a percentile lies within the bucket of the wait that it is of", () => {
  const wait = waitOf(countsOf(...Array.from({ length: 94 }, () => 15), ...Array.from({ length: 6 }, () => 45_000)));
  expect(wait?.count).toBe(100);
  expect(wait?.median_ms).toBeGreaterThan(10);
  expect(wait?.median_ms).toBeLessThanOrEqual(20);
  expect(wait?.slow_ms).toBeGreaterThan(30_000);
  expect(wait?.slow_ms).toBeLessThanOrEqual(60_000);
});

test("a wait beyond the last bound is told as that bound", () => {
  expect(waitColumnOf(24 * 3_600_000)).toBe(waitColumns.at(-1));
  expect(waitOf(countsOf(24 * 3_600_000))).toEqual({ count: 1, median_ms: 21_600_000, slow_ms: 21_600_000 });
});

test("the counts of two hours add up to the counts of both", () => {
  const both = countsOf(3, 15, 700, 4000, 90_000);
  const sum = countsOf(3, 15);
  for (const [column, n] of countsOf(700, 4000, 90_000)) sum.set(column, (sum.get(column) ?? 0) + n);
  expect(waitOf(sum)).toEqual(waitOf(both));
});
