import { expect, test } from "vitest";
import { firstOf, MOST_SELECTED, toggled } from "./selection.ts";

test("an issue is selected by the first press, and not any more by the second", () => {
  const one = toggled(new Set(), "acme/one#1");
  expect([...one]).toEqual(["acme/one#1"]);
  expect(toggled(one, "acme/one#1").size).toBe(0);
});

test("no more are selected than one act takes", () => {
  const keys = Array.from({ length: MOST_SELECTED + 5 }, (_, nth) => `acme/one#${nth}`);
  const most = firstOf(keys);
  expect(most.size).toBe(MOST_SELECTED);
  expect(toggled(most, "acme/two#1").size).toBe(MOST_SELECTED);
});
