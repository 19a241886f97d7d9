import { performance } from "node:perf_hooks";
import { afterAll, expect, test } from "vitest";
import { PatternJudge } from "./pattern-judge.ts";
import { faultsOf, PatternList } from "./pattern-list.ts";
import type { Anchoring } from "./patterns.ts";

const judge = new PatternJudge();
afterAll(() => judge.close());

async function matches(source: string, text: string, anchoring: Anchoring = "whole"): Promise<boolean | undefined> {
  expect(await faultsOf([source], judge)).toEqual([]);
  const list = new PatternList([source], anchoring, judge);
  await list.judge([text]);
  return list.lists([text]);
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
])("%s against %j: %s", async (pattern, text, expected) => {
  expect(await matches(pattern, text)).toBe(expected);
});

test("without a wildcard a title pattern matches anywhere, any other the whole", async () => {
  expect(await matches("roadmap", "Our Roadmap for May", "substring")).toBe(true);
  expect(await matches("roadmap", "Our Roadmap for May", "whole")).toBe(false);
});

test.each(["/(/", "/a{2,1}/", "/(?=look)/", "", "  ", "x".repeat(201)])(
  "%j is refused with a reason",
  async (pattern) => {
    expect(await faultsOf([pattern], judge)).toEqual([{ index: 0, because: expect.stringMatching(/./) }]);
  },
);

test.each([
  ["/((a{1,30}){1,30})$b/", /repeats and classes come to the length of 1865, at most 300: use smaller repeat counts/],
  [`/(?:(?:(?:${"a?".repeat(75)}){9}){9}){9}/`, /use smaller repeat counts/],
  ["/(?:(?:x{9}){9}){9}/", /use smaller repeat counts/],
  ["/.{0,50}.{0,50}.{0,60}b/", /the length of 32\d, at most 300/],
])("%s is refused as too costly, with what to do", async (pattern, because) => {
  expect(await faultsOf(["fine", pattern], judge)).toEqual([{ index: 1, because: expect.stringMatching(because) }]);
});

test.each([
  ["/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/", "task 6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
  ["/^(feat|fix|chore|docs)(\\(.{1,30}\\))?!?: [a-z].{5,72}$/", "Fix(hub): the clock no longer runs late"],
  ["/^\\p{L}{2,20} [^\\x00-\\x7f]+/", "Größe äöü"],
  ["/[\\x{3040}-\\x{30ff}\\x{4e00}-\\x{9fff}]{4,}/", "時計が遅れる"],
  ["/\\b(wip|draft|do not merge)\\b/", "[WIP] clock"],
  [`/${"dependabot|renovate|".repeat(9)}a/`, "from Renovate"],
  ["/^bump .{0,50} from \\d+(\\.\\d+){1,3} to .{0,50}$/", "Bump tide-clock from 1.2.3 to 2.0.0"],
])("the ordinary pattern %s matches %j", async (pattern, text) => {
  expect(await matches(pattern, text)).toBe(true);
});

test.each(["/(a+)+$/", "/.*.*.*=.*/", "*a*a*a*a*b", "/^(([a-z])+.)+[A-Z]([a-z])+$/"])(
  "the hostile pattern %s takes linear time",
  async (pattern) => {
    await judge.build("/warm/");
    const started = performance.now();
    await matches(pattern, "a".repeat(10_000), "substring");
    await matches(pattern, `${"a".repeat(28)}!`, "substring");
    expect(performance.now() - started).toBeLessThan(250);
  },
);
