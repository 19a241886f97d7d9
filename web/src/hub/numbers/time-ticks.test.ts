import { expect, test } from "vitest";
import { shortTime } from "../../shared/format/format.ts";
import { timeTicks } from "./time-ticks.ts";

test.each([
  [0, ["0 ms", "1 ms"]],
  [47, ["0 ms", "20 ms", "40 ms", "60 ms"]],
  [1500, ["0 ms", "500 ms", "1.0 s", "1.5 s"]],
  [61_000, ["0 ms", "1 min", "2 min"]],
  [59_000, ["0 ms", "20 s", "40 s", "1 min"]],
  [130_000, ["0 ms", "1 min", "2 min", "3 min"]],
  [3 * 3_600_000, ["0 ms", "1 h", "2 h", "3 h"]],
  [40 * 24 * 3_600_000, ["0 ms", "13 d 8 h", "26 d 16 h", "40 d"]],
])("an axis of waiting times up to %i ms has ticks at %j", (most, words) => {
  expect(timeTicks(most).map(shortTime)).toEqual(words);
});
