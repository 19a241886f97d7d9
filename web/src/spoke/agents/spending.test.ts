import { expect, test } from "vitest";
import { usesOf } from "./spending.ts";

const nothing = { runs: 0, minutes: 0, tokens: 0, cost_usd: 0 };

test("tokens and cost are said where a CLI reports them or a limit asks for them", () => {
  expect(usesOf({ ...nothing, limits: {} }).map(({ name }) => name)).toEqual(["Runs", "Minutes"]);
  const reported = usesOf({ ...nothing, tokens: 1200, limits: { cost_usd_per_day: 5 } });
  expect(reported.slice(2)).toEqual([
    { name: "Tokens", used: "1,200", limit: undefined, share: undefined },
    { name: "Cost", used: "$0.00", limit: "$5.00", share: 0 },
  ]);
});

test("a budget is never more than used up, and a budget of nothing is used up", () => {
  const [runs, minutes] = usesOf({ ...nothing, runs: 9, limits: { runs_per_day: 4, minutes_per_day: 0 } });
  expect([runs?.share, minutes?.share]).toEqual([1, 1]);
});
