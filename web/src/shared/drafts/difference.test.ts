import { expect, test } from "vitest";
import { differenceOf } from "./difference.ts";

test.each([
  ["a switch", false, true, [{ at: "", before: "no", after: "yes" }]],
  ["a text that was empty", "", "hello", [{ at: "", before: "empty", after: "hello" }]],
  ["nothing before", undefined, "trusted", [{ at: "", before: undefined, after: "trusted" }]],
  ["the same", ["a"], ["a"], []],
])("%s", (_, before, after, lines) => {
  expect(differenceOf(before, after)).toEqual(lines);
});

test("of a list, what it lost and what it gained", () => {
  expect(differenceOf(["a", "b"], ["b", "c"])).toEqual([
    { at: "", before: "a", after: undefined },
    { at: "", before: undefined, after: "c" },
  ]);
});

test("a list in another order says so", () => {
  expect(differenceOf(["a", "b"], ["b", "a"])).toEqual([{ at: "order", before: "a, b", after: "b, a" }]);
});

test("of an object, only the fields that changed, by the way to them", () => {
  const before = { newcomer: { max_per_hour: 3, max_per_day: 10 }, trusted: { max_per_hour: 30 } };
  const after = { newcomer: { max_per_hour: 5, max_per_day: 10 }, trusted: { max_per_hour: 30 } };
  expect(differenceOf(before, after)).toEqual([{ at: "newcomer, max per hour", before: "3", after: "5" }]);
});

test("a key of the configuration keeps its name", () => {
  const lines = differenceOf({ "governor.budget.runs_per_day": 3 }, { "governor.budget.runs_per_day": null });
  expect(lines).toEqual([{ at: "governor.budget.runs_per_day", before: "3", after: undefined }]);
});

test("names are said as people call them, where that is known", () => {
  const lines = differenceOf({ deny_titles: ["a"] }, { deny_titles: [] }, { deny_titles: "Title patterns" });
  expect(lines).toEqual([{ at: "Title patterns", before: "a", after: undefined }]);
});

test("a list in place of something else is shown as both", () => {
  expect(differenceOf("a", ["a", "b"])).toEqual([{ at: "", before: "a", after: "a, b" }]);
});
