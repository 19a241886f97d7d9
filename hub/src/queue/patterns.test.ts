import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { type Anchoring, compilePattern } from "./patterns.ts";

function matches(source: string, text: string, anchoring: Anchoring = "whole"): boolean {
  const result = compilePattern(source, anchoring);
  if (result.kind === "invalid") throw new Error(result.because);
  return result.pattern.matches(text);
}

test.each([
  ["*dependency dashboard*", "The Dependency Dashboard of today", true],
  ["epic:*", "EPIC: everything", true],
  ["epic:*", "an epic: thing", false],
  ["a*b*c", "aXbYc", true],
  ["a*b*c", "aXcYb", false],
  ["ab*ba", "aba", false],
  ["*", "", true],
  ["renovate[bot]", "Renovate[bot]", true],
  ["bot", "abbott", false],
  ["/^gpt-4(o|\\.1)/", "GPT-4o-mini", true],
  ["/(?i)x/", "X", true],
])("%s against %j: %s", (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test("without a wildcard a title pattern matches anywhere, any other the whole", () => {
  expect(matches("roadmap", "Our Roadmap for May", "substring")).toBe(true);
  expect(matches("roadmap", "Our Roadmap for May", "whole")).toBe(false);
});

test.each(["/(/", "/a{2,1}/", "/(?=look)/", "", "  ", "x".repeat(201)])("%j is refused with a reason", (pattern) => {
  expect(compilePattern(pattern, "whole")).toMatchObject({ kind: "invalid", because: expect.stringMatching(/./) });
});

test.each(["/(a+)+$/", "/.*.*.*=.*/", "*a*a*a*a*b", "/^(([a-z])+.)+[A-Z]([a-z])+$/"])(
  "the hostile pattern %s takes linear time",
  (pattern) => {
    const started = performance.now();
    matches(pattern, "a".repeat(10_000), "substring");
    matches(pattern, `${"a".repeat(28)}!`, "substring");
    expect(performance.now() - started).toBeLessThan(250);
  },
);
