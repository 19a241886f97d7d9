import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import {
  bookFailure,
  bookUncounted,
  bookUnverified,
  bookVerdict,
  bookVerified,
  bookVerifying,
  clearDrop,
  failuresNow,
  freshItem,
  holdOf,
} from "./cooldown.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const NOW = 1_000 * HOUR;
const item = freshItem("acme/one#1");

test("a socket drop books a short cooldown that does not count toward quarantine, and a resume takes it back", () => {
  const dropped = bookUncounted(item, "connection_lost", durations, NOW);
  expect(holdOf(dropped, 0, NOW + 10 * MINUTE - 1)).toMatchObject({ reason: "connection_lost" });
  expect(holdOf(dropped, 0, NOW + 10 * MINUTE)).toBeUndefined();
  expect(failuresNow(dropped, durations, NOW)).toBe(0);
  expect(holdOf(clearDrop(dropped), 0, NOW)).toBeUndefined();
});

test("three failures in a row quarantine an issue for six hours; three drops never do", () => {
  let failing = item;
  for (let nth = 0; nth < 2; nth += 1) failing = bookFailure(failing, false, durations, NOW);
  expect(holdOf(failing, 0, NOW)).toMatchObject({ reason: "failed", until: NOW + 10 * MINUTE });
  expect(holdOf(bookFailure(failing, false, durations, NOW), 0, NOW)).toMatchObject({
    reason: "quarantined",
    until: NOW + 6 * HOUR,
  });
  let dropping = item;
  for (let nth = 0; nth < 9; nth += 1) dropping = bookUncounted(dropping, "connection_lost", durations, NOW);
  expect(holdOf(dropping, 0, NOW)?.until).toBe(NOW + 10 * MINUTE);
});

test("a permanent failure counts as three", () => {
  expect(holdOf(bookFailure(item, true, durations, NOW), 0, NOW)?.reason).toBe("quarantined");
});

test("failures are forgotten after six hours, and by a completion", () => {
  const twice = bookFailure(bookFailure(item, false, durations, NOW), false, durations, NOW);
  expect(failuresNow(twice, durations, NOW + 6 * HOUR - 1)).toBe(2);
  expect(failuresNow(twice, durations, NOW + 6 * HOUR)).toBe(0);
  expect(failuresNow(bookVerifying(twice, durations, NOW), durations, NOW)).toBe(0);
});

test.each([
  [1, 4],
  [2, 8],
  [3, 16],
  [6, 128],
  [7, 168],
  [40, 168],
])("completion %i in a row without a pull request holds an issue for %i hours", (times, hours) => {
  let booked = item;
  for (let nth = 0; nth < times; nth += 1) booked = bookUnverified(booked, durations, NOW);
  expect(holdOf(booked, 0, NOW)?.until).toBe(NOW + hours * HOUR);
});

test("the doubling starts over after fourteen quiet days and after a verified pull request", () => {
  const twice = bookUnverified(bookUnverified(item, durations, NOW), durations, NOW);
  const later = NOW + 14 * 24 * HOUR;
  expect(bookUnverified(twice, durations, later).holdUntil).toBe(later + 4 * HOUR);
  const verified = bookVerified(twice, durations, NOW);
  expect(verified.holdUntil).toBe(NOW + 168 * HOUR);
  expect(bookUnverified(verified, durations, NOW).holdUntil).toBe(NOW + 4 * HOUR);
});

test("no_work_needed holds until the issue is changed, blocked holds all the same", () => {
  const idle = bookVerdict(item, "no_work_needed", 500, durations, NOW);
  expect(holdOf(idle, 500, NOW)?.reason).toBe("no_work_needed");
  expect(holdOf(idle, 501, NOW)).toBeUndefined();
  expect(holdOf(bookVerdict(item, "blocked", 500, durations, NOW), 501, NOW)?.reason).toBe("blocked");
});
