import { durations, RELAY_STOPPED } from "@nest/protocol";
import { expect, test } from "vitest";
import type { Effect } from "./commands.ts";
import type { Lease } from "./lease.ts";
import { completed, declined, failed } from "./relay-reports.ts";
import {
  about,
  aContributor,
  aDecider,
  ada,
  aLease,
  feedOf,
  type InTheLedger,
  MINUTE,
  NOW,
} from "./testing/small-decider.ts";

const PULL = "https://host/ACME/one/pull/40/files";
const SPELLED = "https://host/acme/One/pull/40";
const ACK: Effect = { kind: "ack", connection: ada.connection, taskId: "t-1", gen: 101 };
const RELEASED: Effect = { kind: "released", connection: ada.connection, taskId: "t-1" };
const NOTHING = { prUrl: undefined, verdict: undefined, verdictReason: undefined };
const FAULT = { reason: "the tests fail", failureKind: "task", permanent: false };
const { failureHoldMs, dropHoldMs, quarantineMs, unverifiedHoldMs, verifiedHoldMs } = durations;

function afterCompleted(result: object, on: InTheLedger = {}) {
  const decider = aDecider({ leases: [aLease()], ...on });
  const effects = completed(decider, { kind: "completed", ...about(aLease()), ...NOTHING, ...result }, NOW);
  const { endings, settings } = decider.ledger.changes;
  return {
    decider,
    effects,
    ending: endings[0],
    item: decider.ledger.item("acme/one#1"),
    settings,
    feed: feedOf(decider),
  };
}

function afterFailed(result: object = {}, lease: Lease = aLease()) {
  const decider = aDecider({ leases: [lease] });
  const effects = failed(decider, { kind: "failed", ...about(lease), ...FAULT, ...result }, NOW);
  const ada = decider.ledger.contributor("c-ada");
  return {
    ada,
    effects,
    ending: decider.ledger.changes.endings[0],
    item: decider.ledger.item(lease.key),
    feed: feedOf(decider),
  };
}

test("a completion that names a pull request of the repository is verified under its one spelling", () => {
  const { effects, ending, item, feed, decider } = afterCompleted({ prUrl: PULL });
  expect(effects).toEqual([
    ACK,
    RELEASED,
    {
      kind: "verify",
      taskId: "t-1",
      gen: 101,
      contributorId: "c-ada",
      key: "acme/one#1",
      repo: "acme/One",
      number: 1,
      assignedAt: NOW - 3 * MINUTE,
      prUrl: SPELLED,
      completedAt: NOW,
    },
  ]);
  expect(ending).toMatchObject({ outcome: "completed", prUrl: SPELLED, prState: "pending", endedAt: NOW });
  expect(item).toMatchObject({ holdReason: "verifying", holdUntil: NOW + verifiedHoldMs });
  expect(feed).toEqual(["Ada completed"]);
  expect(decider.ledger.changes.activity[0]?.url).toBe(SPELLED);
});

test.each<[string, string, string | undefined]>([
  ["of another repository", "https://host/acme/two/pull/9", "https://host/acme/two/pull/9"],
  ["that is none of our code host's", "https://evil/acme/One/pull/40", undefined],
])("a pull request %s is refused, counts as none, and the feed says why", (_which, prUrl, shown) => {
  const { effects, ending, item, feed } = afterCompleted({ prUrl });
  expect(effects).toEqual([ACK, RELEASED]);
  expect(ending).toMatchObject({ prState: "refused", prUrl: shown });
  expect(item).toMatchObject({ holdReason: "completed_without_pull_request", holdUntil: NOW + unverifiedHoldMs });
  expect(feed).toEqual(["Ada completed (the pull request named is not of this repository)"]);
});

test("a completion without a pull request holds the issue for four hours, and counts as completed", () => {
  const contributors = [aContributor({ completed: 4, streak: 2 })];
  const { decider, effects, ending, item, feed } = afterCompleted({}, { contributors });
  expect(effects).toEqual([ACK, RELEASED]);
  expect(ending).toMatchObject({ outcome: "completed", prState: "none", prUrl: undefined });
  expect(item).toMatchObject({ holdReason: "completed_without_pull_request", holdUntil: NOW + unverifiedHoldMs });
  expect(feed).toEqual(["Ada completed"]);
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor({ completed: 5, lastActiveAt: NOW }));
  expect(decider.ledger.lease("t-1")).toBeUndefined();
});

test("a verdict that there is nothing to do holds the issue until it changes", () => {
  const { ending, item, feed, settings } = afterCompleted({ verdict: "no_work_needed", verdictReason: "it is done" });
  expect(ending).toMatchObject({ verdict: "no_work_needed", reason: "it is done" });
  expect(item).toMatchObject({ holdReason: "no_work_needed", heldAsOf: aLease().itemUpdatedAt });
  expect(feed).toEqual(["Ada completed: no_work_needed (it is done)"]);
  expect([...settings]).toEqual([]);
});

test("a verdict that people must act first is remembered with how the issue is now", () => {
  const { item, settings, feed } = afterCompleted({ verdict: "blocked" });
  expect(item).toMatchObject({ holdReason: "blocked", holdUntil: NOW + verifiedHoldMs });
  const blocked = { at: NOW, digest: "digest of acme/one#1", contributorId: "c-ada" };
  expect([...settings]).toEqual([["blocked:acme/one#1", blocked]]);
  expect(feed).toEqual(["Ada completed: blocked"]);
});

test("a verdict beside a pull request waits for that one's, and a verdict that is not known is none", () => {
  const both = afterCompleted({ verdict: "blocked", prUrl: PULL });
  expect([both.item?.holdReason, both.settings.size]).toEqual(["verifying", 0]);
  const unknown = afterCompleted({ verdict: "splendid" });
  expect(unknown.ending).toMatchObject({ verdict: "splendid" });
  expect([unknown.item?.holdReason, unknown.feed]).toEqual(["completed_without_pull_request", ["Ada completed"]]);
});

test("a verdict's own reason is told before that of the pull request", () => {
  const { feed } = afterCompleted({ prUrl: "https://evil/x/pull/1", verdictReason: "see there" });
  expect(feed).toEqual(["Ada completed (see there)"]);
});

test("a completion of somebody whom nobody knows any more ends the task all the same", () => {
  const { effects, decider } = afterCompleted({}, { contributors: [] });
  expect(effects).toEqual([ACK, RELEASED]);
  expect(decider.ledger.changes.contributors.size).toBe(0);
});

test("a failure of accepted work counts with the issue and with the contributor", () => {
  const { ada: after, effects, ending, item, feed } = afterFailed();
  const failure = { kind: "failure", connection: ada.connection, lease: aLease(), ...FAULT };
  expect(effects).toEqual([ACK, RELEASED, failure]);
  expect(ending).toMatchObject({ outcome: "failed", endedAt: NOW, ...FAULT });
  expect(item).toMatchObject({ holdReason: "failed", failures: 1, holdUntil: NOW + failureHoldMs });
  expect(after).toMatchObject({ failed: 1, streak: 0 });
  expect(feed).toEqual(["Ada failed (the tests fail)"]);
});

test("a failure soon after acceptance counts toward the contributor's pause", () => {
  expect(afterFailed({}, aLease(1, { acceptedAt: NOW - 1 })).ada).toMatchObject({ failed: 1, streak: 1 });
});

test("a permanent failure is a quarantine at once", () => {
  expect(afterFailed({ permanent: true }).item).toMatchObject({
    holdReason: "quarantined",
    holdUntil: NOW + quarantineMs,
  });
});

test("a failure before the work began is nobody's, and the issue is held back for ten minutes", () => {
  const { ada: after, ending, item, feed } = afterFailed({ permanent: true }, aLease(1, { acceptedAt: undefined }));
  expect(ending).toMatchObject({ outcome: "failed" });
  expect(item).toMatchObject({ holdReason: "failed", failures: 0, holdUntil: NOW + dropHoldMs });
  expect(after).toEqual(aContributor());
  expect(feed).toEqual(["Ada released: gave the task back (the tests fail)"]);
});

test("a relay that was stopped has failed at nothing", () => {
  const { ada: after, ending, item, feed } = afterFailed({ reason: RELAY_STOPPED });
  expect(ending).toMatchObject({ outcome: "stopped", reason: RELAY_STOPPED });
  expect(item).toMatchObject({ holdReason: "connection_lost", failures: 0 });
  expect(after).toEqual(aContributor());
  expect(feed).toEqual([`Ada released: relay stopped (${RELAY_STOPPED})`]);
});

test("a declined task is given back before the work began, and nobody's failure", () => {
  const decider = aDecider({ leases: [aLease()] });
  const effects = declined(decider, { kind: "declined", ...about(aLease()), reason: "no room" }, NOW);
  expect(effects).toEqual([ACK, RELEASED]);
  expect(decider.ledger.changes.endings).toMatchObject([{ outcome: "declined", reason: "no room", endedAt: NOW }]);
  expect(decider.ledger.item("acme/one#1")).toMatchObject({ holdReason: "given_back", holdUntil: NOW + dropHoldMs });
  expect(feedOf(decider)).toEqual(["Ada released: gave the task back (no room)"]);
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor());
});

const ends = {
  completed: (decider: ReturnType<typeof aDecider>, task: ReturnType<typeof about>) =>
    completed(decider, { kind: "completed", ...task, ...NOTHING, prUrl: PULL }, NOW),
  failed: (decider: ReturnType<typeof aDecider>, task: ReturnType<typeof about>) =>
    failed(decider, { kind: "failed", ...task, ...FAULT }, NOW),
  declined: (decider: ReturnType<typeof aDecider>, task: ReturnType<typeof about>) =>
    declined(decider, { kind: "declined", ...task, reason: "" }, NOW),
};

test.each(Object.entries(ends))(
  "what is reported as %s of no live lease is acknowledged, and changes nothing",
  (_what, end) => {
    const held = aLease(1, { connection: "conn-there-2" });
    for (const lease of [aLease(1, { expiresAt: NOW }), aLease(1, { gen: 7 }), held]) {
      const decider = aDecider({ leases: [lease] });
      expect(end(decider, about(aLease()))).toEqual([ACK]);
      expect(decider.ledger.isDirty).toBe(false);
    }
    expect(end(aDecider(), { ...about(aLease()), gen: undefined as never })).toEqual([{ ...ACK, gen: 0 }]);
  },
);
