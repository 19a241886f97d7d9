import { expect, test } from "vitest";
import { isWithoutEffect } from "./effect.ts";
import type { Settings } from "./faults.ts";

const base = {
  contribute_labels_mode: "deny",
  contribute_deny_labels: ["help wanted", "epic"],
  contribute_titles_mode: "deny",
  contribute_deny_titles: [] as readonly string[],
} as unknown as Settings;

test("the same labels in another order or case, or twice, are no change of what is offered", () => {
  const after = { ...base, contribute_deny_labels: ["Epic", "help wanted", "epic"] };
  expect(isWithoutEffect("contribute_deny_labels", base, after)).toBe(true);
  expect(isWithoutEffect("contribute_deny_labels", base, { ...base, contribute_deny_labels: ["epic"] })).toBe(false);
});

test("regular expressions that differ in case are different ones", () => {
  const before = { ...base, contribute_deny_labels: ["/\\d/"] };
  const after = { ...base, contribute_deny_labels: ["/\\D/"] };
  expect(isWithoutEffect("contribute_deny_labels", before, after)).toBe(false);
});

test("what an empty list means changes nothing, what a list with entries means does", () => {
  const titles = { ...base, contribute_titles_mode: "allow" } as Settings;
  expect(isWithoutEffect("contribute_titles_mode", base, titles)).toBe(true);
  const labels = { ...base, contribute_labels_mode: "allow" } as Settings;
  expect(isWithoutEffect("contribute_labels_mode", base, labels)).toBe(false);
});
