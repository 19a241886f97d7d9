import { expect, test } from "vitest";
import { outcomeBars, tokenBars } from "./day-bars.ts";

const aDay = {
  day: "2026-01-02",
  runs: 5,
  outcomes: { shipped: 2, finished: 1, looped: 1 },
  minutes: 12.4,
  tokens: 0,
  cost_usd: 0,
};

test("a day's runs are coloured by how they ended, and each ending is said", () => {
  const [bar] = outcomeBars([aDay]);
  expect(bar?.parts).toEqual([
    { tone: "good", value: 3 },
    { tone: "warn", value: 0 },
    { tone: "bad", value: 1 },
    { tone: "quiet", value: 0 },
  ]);
  expect(bar?.words).toBe("2 Jan: 5 runs, 2 opened a pull request, 1 finished, 1 went round in a loop, 1 under way");
});

test("an ending of a newer nest is counted too", () => {
  const [bar] = outcomeBars([{ ...aDay, outcomes: { handed_over: 4 } }]);
  expect(bar?.parts.at(-1)).toEqual({ tone: "quiet", value: 4 });
  expect(bar?.words).toMatch(/4 handed over, 1 under way$/);
});

test("tokens are said with what they cost", () => {
  expect(tokenBars([{ ...aDay, tokens: 12_000, cost_usd: 0.5 }])[0]?.words).toBe(
    "2 Jan: 12,000 tokens, $0.50, 12 minutes",
  );
});
