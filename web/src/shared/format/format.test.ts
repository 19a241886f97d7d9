import { expect, test } from "vitest";
import { duration, plural, safeHref, shortTime, spoken, timeLeft } from "./format.ts";

test.each([
  [-5000, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [3_900_000, "1 h 5 min"],
  [26 * 3_600_000, "1 d 2 h"],
])("%d ms is said as %s", (ms, said) => {
  expect(duration(ms)).toBe(said);
});

test.each([
  ["an hour that has just begun", 3_599_400, "1 h"],
  ["an hour by a clock that is behind", 3_601_900, "1 h"],
  ["a week that has just begun", 7 * 86_400_000 - 900, "7 d"],
  ["the middle of a minute", 90_000, "2 min"],
  ["the last seconds", 4200, "5 s"],
  ["what is over", -1, "0 s"],
])("what still lasts is rounded up: %s", (_, ms, said) => {
  expect(timeLeft(ms)).toBe(said);
});

test.each([
  [4.4, "4 ms"],
  [1240, "1.2 s"],
  [61_000, "1 min"],
])("a wait of %d ms is said as %s", (ms, said) => {
  expect(shortTime(ms)).toBe(said);
});

test.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", undefined, ""])("%s becomes no link", (url) => {
  expect(safeHref(url)).toBeUndefined();
});

test("web addresses become links", () => {
  expect(safeHref("https://github.com/acme/one/issues/1")).toBe("https://github.com/acme/one/issues/1");
});

test("numbers and names are said in English", () => {
  expect([plural(1, "issue"), plural(1200, "issue"), spoken("operator_hold")]).toEqual([
    "1 issue",
    "1,200 issues",
    "operator hold",
  ]);
});
