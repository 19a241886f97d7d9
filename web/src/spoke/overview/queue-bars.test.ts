import { expect, test } from "vitest";
import { dateAndTime } from "../../shared/format/format.ts";
import { queueBars } from "./queue-bars.ts";

const NOW = Date.UTC(2026, 0, 8, 12);
const ago = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

test("a bar shows the last evaluation of its time, and time without one is said and has no height", () => {
  const points = [
    { at: ago(6), actionable: 9, held_back: 1 },
    { at: ago(5.99), actionable: 7, held_back: 2 },
    { at: ago(0.1), actionable: 3, held_back: 4 },
  ];
  const bars = queueBars(points, NOW, 7);
  expect(bars).toHaveLength(24);
  expect(bars[0]?.words).toMatch(/: 7 issues actionable, 2 held back$/);
  expect(bars[1]?.parts.map(({ value }) => value)).toEqual([0, 0]);
  expect(bars[1]?.words).toMatch(/: not looked at$/);
  expect(bars.at(-1)?.parts.map(({ value }) => value)).toEqual([3, 4]);
});

test("a week has no more bars than a phone has room for", () => {
  const points = Array.from({ length: 300 }, (_, nth) => ({ at: ago(200 - nth / 2), actionable: nth, held_back: 0 }));
  expect(queueBars(points, NOW, 7).length).toBeLessThanOrEqual(48);
});

test("the chart of a nest that has looked once has room for what comes", () => {
  expect(queueBars([{ at: ago(0.01), actionable: 5, held_back: 0 }], NOW, 7)).toHaveLength(24);
});

test("a reading is told with its own time, and time before the first one is said to be that", () => {
  const [read, bars] = [ago(0.01), queueBars([{ at: ago(0.01), actionable: 5, held_back: 0 }], NOW, 7)];
  expect(bars.at(-1)?.words).toBe(`${dateAndTime(read)}: 5 issues actionable, 0 held back`);
  expect(bars[0]?.words).toMatch(/: before the first look$/);
});

test("a nest that never looked has no bars", () => {
  expect(queueBars([], NOW, 7)).toEqual([]);
});
