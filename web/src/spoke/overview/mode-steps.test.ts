import { expect, test } from "vitest";
import { modeSteps } from "./mode-steps.ts";

test("modes stand from the quietest to the busiest, and the one in force is marked", () => {
  const modes = [
    { name: "surge", threshold: 60 },
    { name: "idle", threshold: 0 },
    { name: "busy", threshold: 10 },
  ];
  expect(modeSteps({ mode: "busy", modes })).toEqual([
    { name: "idle", words: "otherwise", isInForce: false },
    { name: "busy", words: "above 10 actionable", isInForce: true },
    { name: "surge", words: "above 60 actionable", isInForce: false },
  ]);
});

test("a nest without modes has no steps", () => {
  expect(modeSteps({ mode: "idle", modes: [] })).toEqual([]);
});
