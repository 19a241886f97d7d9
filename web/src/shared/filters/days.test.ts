import { expect, test } from "vitest";
import { beginningOf, endOf } from "./days.ts";

test("a day is from its first moment to the first of the next, in the reader's own zone", () => {
  expect(beginningOf("2026-11-23")).toBe(new Date(2026, 10, 23).toISOString());
  expect(endOf("2026-12-31")).toBe(new Date(2027, 0, 1).toISOString());
});

test.each([undefined, "", "yesterday", "2026-1-2"])("%j is no day", (text) => {
  expect([beginningOf(text), endOf(text)]).toEqual([undefined, undefined]);
});
