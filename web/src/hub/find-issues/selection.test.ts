import { expect, test } from "vitest";
import { firstOf, MOST_SELECTED, rangeToggled, toggled } from "./selection.ts";

test("an issue is selected by the first press, and not any more by the second", () => {
  const one = toggled(new Set(), "acme/one#1");
  expect([...one]).toEqual(["acme/one#1"]);
  expect(toggled(one, "acme/one#1").size).toBe(0);
});

test("a range takes all rows from the one to the other, upwards too, and what is not in it stays as it was", () => {
  const keys = ["a", "b", "c", "d", "e"];
  const range = rangeToggled(new Set(["a", "d"]), keys, { from: "d", to: "b" });
  expect([...range].sort()).toEqual(["a", "b", "c", "d"]);
  expect([...rangeToggled(range, keys, { from: "b", to: "c" })].sort()).toEqual(["a", "d"]);
});

test("a range from a row that is not in the list any more is the one row", () => {
  expect([...rangeToggled(new Set(), ["a", "b"], { from: "z", to: "b" })]).toEqual(["b"]);
});

test("no more are selected than one act takes", () => {
  const keys = Array.from({ length: MOST_SELECTED + 5 }, (_, nth) => `acme/one#${nth}`);
  const most = firstOf(keys);
  expect(most.size).toBe(MOST_SELECTED);
  expect(toggled(most, "acme/two#1").size).toBe(MOST_SELECTED);
});
