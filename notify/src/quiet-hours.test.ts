import { expect, test } from "vitest";
import { isQuiet, readQuietHours } from "./quiet-hours.ts";

const at = (moment: string) => Date.parse(`${moment}Z`);

test.each<[string, string, string, boolean]>([
  ["22:00-07:00", "UTC", "2026-01-10T21:59", false],
  ["22:00-07:00", "UTC", "2026-01-10T22:00", true],
  ["22:00-07:00", "UTC", "2026-01-11T00:00", true],
  ["22:00-07:00", "UTC", "2026-01-11T06:59", true],
  ["22:00-07:00", "UTC", "2026-01-11T07:00", false],
  ["12:00-13:30", "UTC", "2026-01-11T13:29", true],
  ["12:00-13:30", "UTC", "2026-01-11T13:30", false],
  ["12:00-13:30", "UTC", "2026-01-11T11:59", false],
  // An hour earlier by UTC in winter, two in summer.
  ["22:00-07:00", "Europe/Berlin", "2026-01-10T21:00", true],
  ["22:00-07:00", "Europe/Berlin", "2026-01-10T20:59", false],
  ["22:00-07:00", "Europe/Berlin", "2026-07-10T20:00", true],
  ["22:00-07:00", "Europe/Berlin", "2026-07-10T05:00", false],
  ["22:00-07:00", "Asia/Kolkata", "2026-01-10T16:30", true],
  ["22:00-07:00", "Asia/Kolkata", "2026-01-10T16:29", false],
  // The night in which the clocks go forward has no 02:30, and is quiet to its end.
  ["01:00-03:00", "Europe/Berlin", "2026-03-29T00:59", true],
  ["01:00-03:00", "Europe/Berlin", "2026-03-29T01:00", false],
  ["10:00-10:00", "UTC", "2026-01-10T10:00", false],
])("%s in %s: at %s UTC it is quiet: %s", (written, zone, moment, quiet) => {
  const hours = readQuietHours(written, zone);
  expect(hours && isQuiet(hours, at(moment))).toBe(quiet);
});

test("without quiet hours there are none", () => {
  expect(readQuietHours(undefined)).toBeUndefined();
});
