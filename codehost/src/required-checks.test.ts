import { expect, test } from "vitest";
import { type CheckReport, judgeChecks, verdictOfRun, verdictOfStatus } from "./required-checks.ts";

const report = (context: string, verdict: CheckReport["verdict"], appId?: number): CheckReport => ({
  context,
  verdict,
  ...(appId === undefined ? {} : { appId }),
});
const build = { context: "build" };

test.each([
  ["nothing is required", [], [report("build", "red")], "none"],
  ["the required one passed", [build], [report("build", "green"), report("lint", "red")], "green"],
  ["the required one failed", [build], [report("build", "red")], "red"],
  ["one report of it failed and one passed", [build], [report("build", "green"), report("build", "red")], "red"],
  ["nobody reported yet", [build], [], "pending"],
  ["one is missing", [build, { context: "lint" }], [report("build", "green")], "pending"],
  ["one failed and one is missing", [build, { context: "lint" }], [report("build", "red")], "red"],
  ["another app reported it", [{ context: "build", appId: 7 }], [report("build", "green", 8)], "pending"],
  ["the right app reported it", [{ context: "build", appId: 7 }], [report("build", "green", 7)], "green"],
] as const)("when %s", (_, required, reports, verdict) => {
  expect(judgeChecks(required, reports)).toBe(verdict);
});

test.each([
  ["queued", null, "pending"],
  ["in_progress", null, "pending"],
  ["completed", "success", "green"],
  ["completed", "neutral", "green"],
  ["completed", "skipped", "green"],
  ["completed", "failure", "red"],
  ["completed", "timed_out", "red"],
  ["completed", "cancelled", "red"],
  ["completed", "action_required", "red"],
] as const)("a check run %s with %s is %s", (status, conclusion, verdict) => {
  expect(verdictOfRun(status, conclusion)).toBe(verdict);
});

test("a commit status with error or failure is red", () => {
  expect(["success", "failure", "error", "pending"].map(verdictOfStatus)).toEqual(["green", "red", "red", "pending"]);
});
