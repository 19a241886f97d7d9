import { expect, test } from "vitest";
import { lastLine, terminalReport } from "./report.ts";

test.each([
  ["opened a pull request\nNEST_VERDICT: complete\n> ", "opened a pull request"],
  ["tests pass\n────────\n❯ \n────────", "tests pass"],
  ["NEST_VERDICT: complete", ""],
  ["", ""],
])("the summary of %j is %j", (tail, summary) => {
  expect(lastLine(tail)).toBe(summary);
});

const outcome = { kind: "completed", verdict: "idle" } as const;

test("a report carries the terminal's end as a list of lines, which hubs of every release read", () => {
  const report = terminalReport({ assignment: { task_id: "t", task_gen: 7 }, outcome, tail: "one\ntwo" });
  expect(report).toMatchObject({ task_id: "t", task_gen: 7, tmux_output: ["one", "two"] });
  expect(terminalReport({ assignment: { task_id: "t" }, outcome, tail: "" })).toMatchObject({ tmux_output: [] });
});

test("a report to a hub without generations carries none", () => {
  expect(terminalReport({ assignment: { task_id: "t" }, outcome, tail: "" })).not.toHaveProperty("task_gen");
});
