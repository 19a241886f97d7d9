import { seededRandom } from "@nest/kit";
import { durations } from "@nest/protocol";
import { describe, expect, test } from "vitest";
import { nextTry } from "./reconnect.ts";

/** Randomness that always gives the same fraction. */
const always = (fraction: number) => ({ ...seededRandom(1), fraction: () => fraction });
const dropped = { code: 1006, authenticatedMs: undefined };

function bounds(tries: number): number[] {
  let attempt = 0;
  return Array.from({ length: tries }, () => {
    const next = nextTry(dropped, attempt, durations, always(0.999_999));
    attempt = next.attempt;
    return Math.round(next.delayMs / 1000);
  });
}

describe("reconnecting", () => {
  test("is exponential, 1 s to 60 s", () => {
    expect(bounds(9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("has full jitter: anything from none to the bound", () => {
    expect(nextTry(dropped, 6, durations, always(0)).delayMs).toBe(0);
    expect(nextTry(dropped, 6, durations, always(0.5)).delayMs).toBe(30_000);
  });

  test("starts over only after 30 s of authenticated uptime", () => {
    const after = (authenticatedMs: number) =>
      nextTry({ code: 1006, authenticatedMs }, 5, durations, always(0.5)).attempt;
    expect([after(29_999), after(30_000)]).toEqual([6, 1]);
  });

  test("comes soon after a hub that restarts (1012), and not all at once", () => {
    const restart = { code: 1012, authenticatedMs: 100 };
    const delays = [0, 0.5, 0.999_999].map((at) => nextTry(restart, 5, durations, always(at)).delayMs);
    expect(delays).toEqual([0, 1000, 2000]);
  });
});
