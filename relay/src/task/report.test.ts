import { expect, test } from "vitest";
import { lastLine } from "./report.ts";

test.each([
  ["opened a pull request\nNEST_VERDICT: complete\n> ", "opened a pull request"],
  ["tests pass\n────────\n❯ \n────────", "tests pass"],
  ["NEST_VERDICT: complete", ""],
  ["", ""],
])("the summary of %j is %j", (tail, summary) => {
  expect(lastLine(tail)).toBe(summary);
});
