import { expect, test } from "vitest";
import { WaitHistogram } from "./wait-histogram.ts";

const HOUR_MS = 3_600_000;

test("of the waits of the last hour, the median and the slowest twentieth", () => {
  const waits = new WaitHistogram();
  for (let ms = 1; ms <= 100; ms += 1) waits.count(ms, 1000);
  expect(waits.summary(2000)).toEqual({ count: 100, median_ms: 51, slow_ms: 96 });
});

test("every wait of the hour is counted; the percentiles are those of the newest two thousand", () => {
  const waits = new WaitHistogram();
  for (let nth = 0; nth < 9000; nth += 1) waits.count(nth < 7000 ? 1 : 10, nth);
  expect(waits.summary(10_000)).toEqual({ count: 9000, median_ms: 10, slow_ms: 10 });
  expect(waits.summary(HOUR_MS + 120_000)).toBeUndefined();
  waits.count(3, HOUR_MS + 120_000);
  expect(waits.summary(HOUR_MS + 121_000)).toEqual({ count: 1, median_ms: 3, slow_ms: 3 });
});

test("a wait counts for an hour, and without one there is nothing to say", () => {
  const waits = new WaitHistogram();
  expect(waits.summary(0)).toBeUndefined();
  waits.count(5, 0);
  expect(waits.summary(HOUR_MS - 1)).toEqual({ count: 1, median_ms: 5, slow_ms: 5 });
  expect(waits.summary(HOUR_MS + 999)).toBeUndefined();
});

test("a clock that was set back makes no wait negative", () => {
  const waits = new WaitHistogram();
  waits.count(-20, 0);
  expect(waits.summary(1)).toMatchObject({ median_ms: 0 });
});

test("a wait is in the summary a second later at the latest", () => {
  const waits = new WaitHistogram();
  waits.count(5, 0);
  expect(waits.summary(0)).toMatchObject({ count: 1 });
  waits.count(7, 1);
  expect(waits.summary(1000)).toMatchObject({ count: 2, slow_ms: 7 });
});
