import { expect, test } from "vitest";
import { liveness, type Pulse } from "./liveness.ts";

const MINUTE = 60_000;
const aPulse = (changes: Partial<Pulse> = {}): Pulse => ({
  bootedAt: 0,
  lastSuccessAt: undefined,
  lastAttemptAt: undefined,
  judgedBy: "success",
  staleMs: 15 * MINUTE,
  ...changes,
});

test("without a hub there is nothing to be stale", () => {
  expect(liveness(undefined, 99 * MINUTE)).toEqual({ status: "ok" });
});

test("boot is a grace of fifteen minutes", () => {
  expect(liveness(aPulse(), 15 * MINUTE - 1).status).toBe("ok");
  expect(liveness(aPulse(), 15 * MINUTE)).toEqual({
    status: "unhealthy",
    detail: "no heartbeat was accepted for 900 s",
  });
});

test("an accepted heartbeat is good for fifteen minutes", () => {
  const pulse = aPulse({ lastSuccessAt: 30 * MINUTE });
  expect(liveness(pulse, 44 * MINUTE).status).toBe("ok");
  expect(liveness(pulse, 45 * MINUTE).status).toBe("unhealthy");
});

test("attempts that fail do not count as life", () => {
  expect(liveness(aPulse({ lastAttemptAt: 20 * MINUTE }), 21 * MINUTE).status).toBe("unhealthy");
});

test("judged by attempts, a hub that is down for long is no illness of the spoke", () => {
  expect(liveness(aPulse({ judgedBy: "attempts", lastAttemptAt: 20 * MINUTE }), 21 * MINUTE).status).toBe("ok");
});
