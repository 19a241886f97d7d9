import { expect, test } from "vitest";
import { newestFirst } from "./newest-first.ts";

const aLine = (second: number, action = "run began") => ({
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  action,
  agent: "builder",
});

test("a line that comes twice, by the stream and with a page, is shown once, in its place", () => {
  const known = [aLine(3), aLine(1)];
  expect(newestFirst([aLine(2), aLine(3)], known).map(({ at }) => at.slice(17, 19))).toEqual(["03", "02", "01"]);
});

test("two things of one moment are both shown", () => {
  expect(newestFirst([aLine(1, "run failed")], [aLine(1)])).toHaveLength(2);
});
