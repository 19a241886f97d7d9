import { expect, test } from "vitest";
import { RecentGrants } from "./recent-grants.ts";

const DAY = 24 * 3_600_000;

test("every assignment of the window is known by its number, older ones are not", () => {
  const grants = new RecentGrants(DAY);
  for (let nth = 1; nth <= 500; nth += 1) grants.add("c-1", nth, nth * 3_600_000);
  for (let nth = 477; nth <= 500; nth += 1) expect(grants.at("c-1", nth)).toBe(nth * 3_600_000);
  expect(grants.at("c-1", 1)).toBeUndefined();
  expect(grants.at("c-1", 501)).toBeUndefined();
  expect(grants.at("c-2", 1)).toBeUndefined();
});

test("memory is bounded by the window, not by a contributor's life", () => {
  const grants = new RecentGrants(DAY);
  for (let nth = 1; nth <= 100_000; nth += 1) grants.add("c-1", nth, nth * 60_000);
  const known = Array.from({ length: 100_000 }, (_, at) => grants.at("c-1", at + 1)).filter((at) => at !== undefined);
  expect(known.length).toBeGreaterThanOrEqual(1440);
  expect(known.length).toBeLessThan(2 * 1440 + 64);
});

test("what comes after a gap is known, what came before it is not guessed at", () => {
  const grants = new RecentGrants(DAY);
  grants.add("c-1", 1, 10);
  grants.add("c-1", 5, 20);
  expect([1, 4, 5].map((nth) => grants.at("c-1", nth))).toEqual([undefined, undefined, 20]);
});
