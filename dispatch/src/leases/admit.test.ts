import { durations, type TierLimits } from "@nest/protocol";
import { expect, test } from "vitest";
import { type Admission, admit } from "./admit.ts";
import type { Contributor } from "./contributor.ts";
import { aContributor, aDecider, aLease, type InTheLedger, MINUTE, NOW, openPolicy } from "./testing/small-decider.ts";

interface Asked extends InTheLedger {
  readonly who?: Partial<Contributor>;
  /** Limits of newcomers; the other tiers have none. */
  readonly limits?: Partial<TierLimits>;
}

function answerTo({ who = {}, limits = {}, ...on }: Asked = {}): Admission {
  const all = { ...openPolicy.limits, newcomer: { ...openPolicy.limits.newcomer, ...limits } };
  const contributor = aContributor({ grants: on.assignedAt?.length ?? 0, ...who });
  const { ledger } = aDecider({ ...on, contributors: [contributor] });
  const policy = { ...openPolicy, limits: all, ...on.policy };
  return admit(contributor, contributor.id, policy, ledger, on.isReady ?? true, durations, NOW);
}

/** Assignments that were made so many minutes ago, oldest first. */
const ago = (...minutes: number[]) => minutes.map((before) => NOW - before * MINUTE);

const SUSPENDED = { policy: { suspended: true } };
const FORBIDDEN = { policy: { disabledTiers: new Set(["newcomer"] as const) } };
const HOLDS_ONE = { leases: [aLease()], limits: { max_concurrent: 1 } };

test("whom no gate holds back is admitted, as the ledger knows them", () => {
  expect(answerTo()).toEqual({ kind: "admitted", contributor: aContributor() });
});

test.each<[string, Asked, object]>([
  ["while contribution is suspended", SUSPENDED, { reason: "contribution_suspended" }],
  ["before every repository was read once", { isReady: false }, { reason: "hub_not_ready" }],
  ["who is revoked", { who: { tier: "revoked" } }, { reason: "tier_disabled" }],
  ["whose tier is disabled", FORBIDDEN, { reason: "tier_disabled" }],
  ["who holds as many tasks as the tier may", HOLDS_ONE, { reason: "concurrency_limit" }],
  [
    "whose hour is full until the third last assignment is an hour old",
    { limits: { max_per_hour: 3 }, assignedAt: ago(59, 50, 30, 20, 10) },
    { reason: "hourly_limit", retryAfterMs: 30 * MINUTE },
  ],
  [
    "whose day is full until the third last assignment is a day old",
    { limits: { max_per_day: 3 }, assignedAt: ago(300, 200, 60, 50) },
    { reason: "daily_limit", retryAfterMs: (24 * 60 - 200) * MINUTE },
  ],
  [
    "after failures in a row, until the pause is over",
    { who: { pausedUntil: NOW + 7 } },
    { reason: "contributor_failure_streak", retryAfterMs: 7 },
  ],
])("a contributor is refused %s", (_who, asked, told) => {
  expect(answerTo(asked)).toEqual({ kind: "refused", ...told });
});

test.each<[string, Asked]>([
  ["of a tier that is not the disabled one", { ...FORBIDDEN, who: { tier: "contributor" } }],
  ["who holds one task less than the tier may", { leases: [aLease()], limits: { max_concurrent: 2 } }],
  ["whose tier may hold any number", { leases: [aLease(1), aLease(2)], limits: { max_concurrent: 0 } }],
  ["of another tier than the limited one", { ...HOLDS_ONE, who: { tier: "trusted" } }],
  [
    "whose first assignment in a full hour is just an hour old",
    { limits: { max_per_hour: 2 }, assignedAt: ago(60, 1) },
  ],
  ["with fewer assignments than an hour has", { limits: { max_per_hour: 3 }, assignedAt: ago(1, 1) }],
  ["without limits, however many assignments were just made", { assignedAt: ago(0, 0, 0, 0) }],
  ["of whose assignments nothing is known", { who: { grants: 9 }, limits: { max_per_hour: 3, max_per_day: 3 } }],
  ["at the very end of a pause", { who: { pausedUntil: NOW } }],
])("a contributor is admitted %s", (_who, asked) => {
  expect(answerTo(asked)).toMatchObject({ kind: "admitted" });
});

test("an hour that is full by a millisecond is told as that", () => {
  const asked = { limits: { max_per_hour: 1 }, assignedAt: [NOW - 60 * MINUTE + 1] };
  expect(answerTo(asked)).toEqual({ kind: "refused", reason: "hourly_limit", retryAfterMs: 1 });
});

test("of several gates the first one's reason is told", () => {
  const asked: Asked[] = [
    { who: { pausedUntil: NOW + 1 } },
    { limits: { max_per_day: 1 }, assignedAt: ago(1) },
    { limits: { max_per_hour: 1, max_per_day: 1 } },
    { leases: [aLease()], limits: { max_concurrent: 1, max_per_hour: 1, max_per_day: 1 } },
    FORBIDDEN,
    { isReady: false },
    { policy: { ...FORBIDDEN.policy, ...SUSPENDED.policy } },
  ];
  let all: Asked = {};
  const reasons = asked.map((more) => {
    all = { ...all, ...more };
    const answer = answerTo(all);
    return answer.kind === "refused" ? answer.reason : answer.kind;
  });
  expect(reasons).toEqual([
    "contributor_failure_streak",
    "daily_limit",
    "hourly_limit",
    "concurrency_limit",
    "tier_disabled",
    "hub_not_ready",
    "contribution_suspended",
  ]);
});
