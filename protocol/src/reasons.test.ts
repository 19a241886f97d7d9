import { expect, test } from "vitest";
import { liftable } from "./http/queue.ts";
import {
  describeOutcome,
  describeUnavailable,
  describeWithheld,
  isWorthWaiting,
  taskOutcomes,
  unavailableReasons,
  withheldReasons,
} from "./reasons.ts";

test("every reason reads as a label and as a clause, each of its own", () => {
  for (const [reasons, describe] of [
    [withheldReasons, describeWithheld],
    [unavailableReasons, describeUnavailable],
  ] as const) {
    const described = reasons.map((reason) => describe(reason));
    expect(new Set(described.map(({ label }) => label)).size).toBe(reasons.length);
    expect(new Set(described.map(({ because }) => because)).size).toBe(reasons.length);
    for (const { label, because } of described) expect(`${label}${because}`).not.toMatch(/_/);
  }
});

test("what people can end the waiting for is a reason for which an issue waits", () => {
  expect(withheldReasons).toEqual(expect.arrayContaining([...liftable]));
});

test("a relay waits where work may come without its asking, and asks again where a limit ends by time", () => {
  expect(unavailableReasons.filter(isWorthWaiting)).toEqual([
    "no_matching_work",
    "contribution_suspended",
    "tier_disabled",
    "hub_not_ready",
  ]);
});

test("every ending reads without a name of the wire", () => {
  for (const outcome of taskOutcomes) expect(describeOutcome(outcome, undefined).words).not.toMatch(/_/);
});

test.each([
  ["completed", undefined, "completed", "good"],
  ["completed", "shipped", "completed", "good"],
  ["completed", "blocked", "blocked", "bad"],
  ["completed", "no_work_needed", "nothing left to do", "neutral"],
  ["failed", "blocked", "failed", "bad"],
  [undefined, undefined, "under way", "neutral"],
  ["handed_over", undefined, "handed over", "neutral"],
])("an ending of %s with the verdict %s reads %s and is %s", (outcome, verdict, words, tone) => {
  expect(describeOutcome(outcome, verdict)).toEqual({ words, tone });
});

test.each(["constructor", "made_up_next_year"])(
  "%s, which is no reason of this release, reads as its name",
  (reason) => {
    const words = reason.replaceAll("_", " ");
    for (const describe of [describeWithheld, describeUnavailable])
      expect(describe(reason)).toEqual({ label: words, because: words });
  },
);
