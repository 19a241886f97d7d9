import { expect, test } from "vitest";
import { axisTicks } from "./axis.ts";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 2, 4]],
  [7, [0, 5, 10]],
  [12, [0, 10, 20]],
  [44, [0, 20, 40, 60]],
  [100, [0, 50, 100]],
  [1242, [0, 1000, 2000]],
])("an axis that has to reach %i has ticks at %j", (most, ticks) => {
  expect(axisTicks(most)).toEqual(ticks);
});
