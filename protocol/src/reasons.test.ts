import { expect, test } from "vitest";
import { liftable } from "./http/queue.ts";
import {
  authRefusalKind,
  authRefusalReasons,
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

test("every reason that people can end early is a reason for which an issue waits", () => {
  expect(withheldReasons).toEqual(expect.arrayContaining([...liftable]));
});

test("a relay waits for work that may be pushed to it, and asks again when a limit ends by time", () => {
  expect(unavailableReasons.filter(isWorthWaiting)).toEqual([
    "no_matching_work",
    "contribution_suspended",
    "tier_disabled",
    "paused",
    "hub_not_ready",
  ]);
});

test("every outcome is worded without its protocol name", () => {
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

test("every refusal of this release is known by its words, whatever details follow them", () => {
  for (const words of authRefusalReasons) {
    const kind = authRefusalKind(words);
    for (const details of [": timeout", "; accepted: moderate-*, internal", " token revoked"])
      expect([words, details, authRefusalKind(words + details)]).toEqual([words, details, kind]);
  }
});

test.each([
  ["model not accepted; accepted: moderate-*", "model"],
  ["no model declared; this hub requires one; accepted: claude-*", "model"],
  ["invalid token", "token"],
  ["access revoked", "revoked"],
  ["too many connections in a minute; try again in 5 s", "passing"],
  ["malformed auth_response: registration_token", "passing"],
  // Phrases of other releases.
  ["unauthorized", "token"],
  ["role not allowed", "role"],
  ["unsupported model; accepted: moderate-*", "model"],
  ["authentication timeout", "passing"],
  ["the token service is not ready", "passing"],
  ["", "passing"],
])("auth_failed with %j is about: %s", (reason, kind) => {
  expect(authRefusalKind(reason)).toBe(kind);
});
