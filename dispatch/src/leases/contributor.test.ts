import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import {
  afterCompletion,
  afterFailure,
  afterTrust,
  afterVerified,
  type Contributor,
  newContributor,
} from "./contributor.ts";

const promotion = { contributorAt: 5, trustedAt: 20 };
function aContributor(changes: Partial<Contributor> = {}): Contributor {
  return { ...newContributor({ id: "c-1", login: "ada", tokenDigest: "", accountId: undefined }, 0), ...changes };
}

test.each([
  ["newcomer", 3, "newcomer"],
  ["newcomer", 4, "contributor"],
  ["contributor", 18, "contributor"],
  ["contributor", 19, "trusted"],
  ["trusted", 500, "trusted"],
  ["advisor", 500, "advisor"],
  ["revoked", 500, "revoked"],
] as const)("a %s with %i verified pull requests is %s after one more", (tier, verified, after) => {
  expect(afterVerified(aContributor({ tier, verified }), promotion).tier).toBe(after);
});

test("thresholds of 0 mean promotion by hand only", () => {
  expect(afterVerified(aContributor({ verified: 99 }), { contributorAt: 0, trustedAt: 0 }).tier).toBe("newcomer");
});

test("a newcomer whom people alone promote does not become trusted by counting either", () => {
  const byHand = { contributorAt: 0, trustedAt: 20 };
  expect(afterVerified(aContributor({ verified: 99 }), byHand).tier).toBe("newcomer");
  expect(afterVerified(aContributor({ tier: "contributor", verified: 99 }), byHand).tier).toBe("trusted");
});

test.each([
  [5, "trusted"],
  [6, "newcomer"],
  [0, "newcomer"],
] as const)(
  "a newcomer who has earned both steps at once takes both (contributor at %i: %s)",
  (contributorAt, tier) => {
    expect(afterVerified(aContributor({ verified: 4 }), { contributorAt, trustedAt: 3 }).tier).toBe(tier);
  },
);

test("a verified pull request and a completion each count one, and a completion ends the failures in a row", () => {
  expect(afterVerified(aContributor({ verified: 2 }), promotion).verified).toBe(3);
  expect(afterCompletion(aContributor({ completed: 2, streak: 2 }))).toEqual(aContributor({ completed: 3 }));
});

test("an admin's promotion, or one to a tier of the same rank, leaves what was counted", () => {
  const one = aContributor({ tier: "contributor", verified: 7, promotionBase: 1 });
  expect(afterTrust(one, "trusted")).toEqual({ ...one, tier: "trusted" });
  expect(afterTrust(one, "contributor")).toEqual(one);
  const newcomer = aContributor({ verified: 7, promotionBase: 1 });
  expect(afterTrust(newcomer, "advisor")).toEqual({ ...newcomer, tier: "advisor" });
});

test("after a demotion by an admin, promotion counts from then on", () => {
  const demoted = afterTrust(aContributor({ tier: "contributor", verified: 7 }), "newcomer");
  expect(afterVerified(demoted, promotion).tier).toBe("newcomer");
  expect(afterVerified({ ...demoted, verified: 11 }, promotion).tier).toBe("contributor");
});

test("revoked is terminal", () => {
  expect(afterTrust(aContributor({ tier: "revoked" }), "trusted").tier).toBe("revoked");
});

test("three counted failures in a row, each within 60 s, pause a contributor for ten minutes", () => {
  let one = aContributor();
  for (let nth = 0; nth < 3; nth += 1) one = afterFailure(one, 1000, durations, 61_000);
  expect(one).toMatchObject({ pausedUntil: 61_000 + 600_000, failed: 3 });
  let slow = aContributor();
  for (let nth = 0; nth < 9; nth += 1) slow = afterFailure(slow, 1000, durations, 61_001);
  expect(slow.pausedUntil).toBe(0);
  let mixed = aContributor();
  for (let nth = 0; nth < 9; nth += 1) mixed = afterCompletion(afterFailure(mixed, 1000, durations, 2000));
  expect(mixed.pausedUntil).toBe(0);
});
