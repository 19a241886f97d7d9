import { expect, test } from "vitest";
import { allowanceAt, permissionsFor } from "./acmm.ts";
import { cadenceIn, DEFAULT_CADENCE_MS, modeInForce, readCadence } from "./modes.ts";
import { nextTurn } from "./schedule.ts";
import { nextDay, overLimit, startOfDay } from "./spending.ts";

const modes = [
  { name: "surge", threshold: 20, cadences: { scanner: 300_000, guide: "pause" as const } },
  { name: "busy", threshold: 10, cadences: {} },
  { name: "quiet", threshold: 2, cadences: {} },
];

test.each([
  [0, "idle"],
  [2, "idle"],
  [3, "quiet"],
  [10, "quiet"],
  [11, "busy"],
  [21, "surge"],
])("with %i actionable issues the mode is %s: the highest threshold that is passed", (actionable, expected) => {
  expect(modeInForce(modes, actionable).name).toBe(expected);
});

test("a mode called idle says how often agents work when no threshold is passed", () => {
  const idle = { name: "idle", threshold: 0, cadences: { guide: 60_000 } };
  expect(modeInForce([idle, ...modes], 1)).toBe(idle);
  expect(modeInForce([idle, ...modes], 5).name).toBe("quiet");
});

test("an agent that a mode does not name goes by the default, also one called constructor", () => {
  expect(cadenceIn(modes[0]!, "guide")).toBe("pause");
  expect(cadenceIn(modes[0]!, "constructor")).toBe(DEFAULT_CADENCE_MS);
});

test.each([
  ["4h", 14_400_000],
  ["1h30m", 5_400_000],
  ["2d", 172_800_000],
  ["90s", 90_000],
  [" Pause ", "pause"],
  ["5s", undefined],
  ["0m", undefined],
  ["", undefined],
  ["h", undefined],
  ["-4h", undefined],
  ["4 h", undefined],
  ["999d", undefined],
])("%j is read as %s", (text, expected) => {
  expect(readCadence(text)).toBe(expected);
});

test.each([
  [0, "scanner", undefined],
  [1, "guide", { autonomy: "advise", held: true }],
  [2, "quality", { autonomy: "advise", held: true }],
  [3, "quality", { autonomy: "pull_requests", held: true }],
  [3, "scanner", { autonomy: "advise", held: true }],
  [4, "scanner", { autonomy: "issues", held: true }],
  [4, "sec-check", { autonomy: "pull_requests", held: true }],
  [4, "ci-maintainer", { autonomy: "pull_requests", held: true }],
  [5, "scanner", { autonomy: "pull_requests", held: true }],
  [6, "scanner", { autonomy: "merge", held: false }],
])("at ACMM level %i the agent %s may do %j", (level, name, expected) => {
  expect(allowanceAt(level, name)).toEqual(expected);
});

test("an agent's own setting lowers what it may do and never raises it", () => {
  expect(allowanceAt(6, "scanner", "issues")).toEqual({ autonomy: "issues", held: true });
  expect(allowanceAt(2, "scanner", "merge")).toEqual({ autonomy: "advise", held: true });
});

test("a credential to advise writes nothing, one to file issues does not push", () => {
  expect(Object.values(permissionsFor("advise"))).not.toContain("write");
  expect(permissionsFor("issues")).toMatchObject({ contents: "read", issues: "write", pull_requests: "read" });
});

test("an agent's turn comes an interval after its last run began, and not before its pause ended", () => {
  expect(nextTurn(1000, { lastStartedAt: undefined, freeSince: 50 })).toBe(50);
  expect(nextTurn(1000, { lastStartedAt: 100, freeSince: 50 })).toBe(1100);
  expect(nextTurn(1000, { lastStartedAt: 100, freeSince: 5000 })).toBe(5000);
  expect(nextTurn("pause", { lastStartedAt: 100, freeSince: 50 })).toBeNull();
});

test("a budget is used up at its limit, says which one, and begins anew at midnight UTC", () => {
  const used = { runs: 3, minutes: 10.5, tokens: 0, costUsd: 1.999 };
  expect(overLimit(used, {}, "the agent's")).toBeUndefined();
  expect(overLimit(used, { runsPerDay: 4, minutesPerDay: 11 }, "the agent's")).toBeUndefined();
  expect(overLimit(used, { runsPerDay: 3 }, "the agent's")).toBe(
    "the agent's budget of 3 runs a day is used up (3 since midnight UTC)",
  );
  expect(overLimit(used, { costUsdPerDay: 1.5 }, "the nest's")).toContain("1.5 US dollars");
  const noon = Date.UTC(2026, 10, 22, 12);
  expect(startOfDay(noon)).toBe(Date.UTC(2026, 10, 22));
  expect(nextDay(noon)).toBe(Date.UTC(2026, 10, 23));
});
