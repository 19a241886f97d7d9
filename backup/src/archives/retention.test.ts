import { expect, test } from "vitest";
import { planRetention } from "./retention.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21);
const at = (hoursAgo: number, modifiedHoursAgo = hoursAgo, isGood = true) => ({
  name: `a${hoursAgo}`,
  stampedAt: NOW - hoursAgo * HOUR,
  modifiedAt: NOW - modifiedHoursAgo * HOUR,
  isGood,
});
const plan = (archives: ReturnType<typeof at>[], keep: number, more: { protected?: string[]; now?: number } = {}) =>
  planRetention({ archives, keep, now: NOW, protected: [], ...more });

test("the newest stay, the rest go, the oldest first", () => {
  expect(plan([at(3), at(1), at(4), at(2)], 2).removed).toEqual(["a4", "a3"]);
});

test("the archive just made and the last that verified never go", () => {
  expect(plan([at(1), at(2), at(3)], 1, { protected: ["a3"] }).removed).toEqual(["a2"]);
});

test("an archive stamped in the future neither counts nor goes", () => {
  const { removed, warnings, kept } = plan([at(-5, 1), at(1), at(2), at(3)], 2);
  expect(removed).toEqual(["a3"]);
  expect(warnings).toEqual(["a-5 is stamped in the future; it is kept and not counted"]);
  expect(kept.map(({ name }) => name)).toContain("a-5");
});

test("a stamp cannot make an archive newer than the storage says it is", () => {
  expect(plan([at(0, 50), at(1), at(2)], 2).removed).toEqual(["a0"]);
});

test("what was never found good takes no place of what was", () => {
  const { removed, kept } = plan([at(0.5, 0.5, false), at(1), at(1.5, 1.5, false), at(2), at(3), at(4, 4, false)], 2);
  expect(removed).toEqual(["a4", "a3"]);
  expect(
    kept.filter(({ because }) => because === "never found good; it takes no place").map(({ name }) => name),
  ).toEqual(["a0.5", "a1.5"]);
});

test("what was never found good fills the places that are left, and goes once it is old", () => {
  expect(plan([at(1), at(2, 2, false), at(3, 3, false), at(4, 4, false)], 3).removed).toEqual(["a4"]);
});

test("nothing goes while our clock is behind the storage's", () => {
  const { removed, warnings } = plan([at(1), at(2), at(3)], 1, { now: NOW - 10 * HOUR });
  expect(removed).toEqual([]);
  expect(warnings).toContain("this machine's clock is behind the storage's; nothing is removed");
});
