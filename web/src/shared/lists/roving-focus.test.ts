import { expect, test } from "vitest";
import { nextPlace } from "./roving-focus.ts";

const size = { rows: 5, columns: 3 };

test.each([
  ["ArrowDown", { row: 1, column: 2 }, { row: 2, column: 2 }],
  ["ArrowUp", { row: 0, column: 0 }, { row: 0, column: 0 }],
  ["PageDown", { row: 1, column: 0 }, { row: 4, column: 0 }],
  ["Home", { row: 3, column: 1 }, { row: 0, column: 1 }],
  ["End", { row: 3, column: 1 }, { row: 4, column: 1 }],
  ["ArrowRight", { row: 3, column: 1 }, { row: 3, column: 2 }],
  ["ArrowRight", { row: 3, column: 2 }, { row: 3, column: 2 }],
  ["ArrowLeft", { row: 3, column: 0 }, { row: 3, column: 0 }],
])("%s from %o leads to %o", (key, from, to) => {
  expect(nextPlace(key, from, size)).toEqual(to);
});

test("from the list itself the arrow down leads to the first row, and other keys do what they always do", () => {
  expect(nextPlace("ArrowDown", undefined, size)).toEqual({ row: 0, column: 0 });
  expect(nextPlace("ArrowRight", undefined, size)).toBeUndefined();
  expect(nextPlace("a", { row: 0, column: 0 }, size)).toBeUndefined();
});

test("in an empty list no key leads anywhere", () => {
  expect(nextPlace("ArrowDown", undefined, { rows: 0, columns: 0 })).toBeUndefined();
});
