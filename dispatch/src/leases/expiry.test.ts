import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import type { Contributor } from "./contributor.ts";
import { sweep, verified } from "./expiry.ts";
import { aContributor, aDecider, ada, aLease, feedOf, type InTheLedger, MINUTE, NOW } from "./testing/small-decider.ts";

const EXPIRED = "task lease expired (no progress within lease TTL)";
const { failureHoldMs, verifiedHoldMs, unverifiedHoldMs } = durations;

test("a lease that runs out on a live socket is a failure of issue and contributor, and the socket is told", () => {
  const lease = aLease(1, { expiresAt: NOW });
  const decider = aDecider({ leases: [lease] });
  expect(sweep(decider, NOW)).toEqual([{ kind: "revoke", connection: ada.connection, taskId: "t-1", reason: EXPIRED }]);
  expect(decider.ledger.changes.endings).toEqual([
    { lease, outcome: "expired", reason: EXPIRED, endedAt: NOW, prState: "none" },
  ]);
  expect(decider.ledger.item(lease.key)).toMatchObject({
    holdReason: "failed",
    failures: 1,
    holdUntil: NOW + failureHoldMs,
  });
  expect(decider.ledger.contributor("c-ada")).toMatchObject({ failed: 1 });
  expect(feedOf(decider)).toEqual(["Ada lease expired: auto-released"]);
});

test("a lease that runs out while its socket is gone was a drop, and counts with nobody", () => {
  const decider = aDecider({ leases: [aLease(1, { expiresAt: NOW, connection: undefined })] });
  expect(sweep(decider, NOW)).toEqual([]);
  expect(decider.ledger.changes.endings).toMatchObject([{ outcome: "expired", reason: EXPIRED }]);
  expect(decider.ledger.item("acme/one#1")).toBeUndefined();
  expect(decider.ledger.contributor("c-ada")).toEqual(aContributor());
  expect(feedOf(decider)).toEqual(["Ada released: connection lost"]);
});

test("a sweep ends what has run out, and nothing else", () => {
  const left = aLease(2, { expiresAt: NOW + 1 });
  const gone = aLease(1, { expiresAt: NOW, connection: undefined });
  const decider = aDecider({ leases: [gone, left, aLease(3, { expiresAt: NOW - MINUTE })] });
  expect(sweep(decider, NOW)).toMatchObject([{ taskId: "t-3" }]);
  expect([...decider.ledger.liveLeases()]).toEqual([left]);
});

function afterVerdict(verdict: "verified" | "refused", who: Partial<Contributor> = {}, on: InTheLedger = {}) {
  const before = aContributor(who);
  const decider = aDecider({ contributors: [before], ...on });
  const effects = verified(
    decider,
    {
      kind: "verified",
      taskId: "t-1",
      gen: 101,
      contributorId: "c-ada",
      key: "acme/one#1",
      prUrl: "https://host/acme/One/pull/40",
      pull: "acme/one#40",
      completedAt: NOW - MINUTE,
      verdict,
      ...(verdict === "refused" ? { because: "it is somebody else's" } : {}),
    },
    NOW,
  );
  const { changes } = decider.ledger;
  return {
    effects,
    changes,
    after: decider.ledger.contributor("c-ada"),
    item: decider.ledger.item("acme/one#1"),
    decider,
  };
}

const COUNTED = { gen: 101, contributorId: "c-ada", completedAt: NOW - MINUTE };

test("a verified pull request counts, and holds its issue for a week from the completion", () => {
  const { effects, changes, after, item, decider } = afterVerdict("verified", { verified: 1 });
  expect(effects).toEqual([]);
  expect(changes.pullRequests).toEqual([{ taskId: "t-1", gen: 101, state: "verified", because: undefined }]);
  expect([...changes.counted]).toEqual([["acme/one#40", COUNTED]]);
  expect(after).toEqual(aContributor({ verified: 2 }));
  expect(item).toMatchObject({ holdReason: "completed", holdUntil: NOW - MINUTE + verifiedHoldMs });
  expect(feedOf(decider)).toEqual(["Ada pull request verified"]);
  expect(changes.activity[0]?.url).toBe("https://host/acme/One/pull/40");
  expect(changes.audit).toEqual([]);
});

test("a refused one counts nothing; why is kept, and its issue is held as without one", () => {
  const { effects, changes, after, item } = afterVerdict("refused", { verified: 4 });
  expect(effects).toEqual([]);
  expect(changes.pullRequests).toEqual([
    { taskId: "t-1", gen: 101, state: "refused", because: "it is somebody else's" },
  ]);
  expect(item).toMatchObject({
    holdReason: "completed_without_pull_request",
    holdUntil: NOW - MINUTE + unverifiedHoldMs,
  });
  expect([changes.counted.size, changes.activity, after]).toEqual([0, [], aContributor({ verified: 4 })]);
});

test("one that was counted before, whatever task named it, counts no second time", () => {
  const { effects, changes, after } = afterVerdict("verified", { verified: 4 }, { counted: ["acme/one#40"] });
  expect([effects, changes.counted.size, changes.activity]).toEqual([[], 0, []]);
  expect(after).toEqual(aContributor({ verified: 4 }));
});

test("one of a contributor whom nobody knows any more is judged, and counted for nobody", () => {
  const { effects, changes } = afterVerdict("verified", {}, { contributors: [] });
  expect([effects, changes.counted.size, changes.pullRequests.length]).toEqual([[], 0, 1]);
});

test("the one that promotes is told to the contributor's sockets, to the feed and to the audit", () => {
  const { effects, changes, after, decider } = afterVerdict("verified", { verified: 4 });
  expect(effects).toEqual([{ kind: "standing", contributorId: "c-ada", tier: "contributor" }]);
  expect(after).toMatchObject({ verified: 5, tier: "contributor" });
  expect(feedOf(decider)).toEqual(["Ada pull request verified", "Ada promoted (contributor)"]);
  expect(changes.audit).toEqual([
    { at: NOW, actor: "hub", action: "promoted", subject: "Ada", before: "newcomer", after: "contributor" },
  ]);
});
