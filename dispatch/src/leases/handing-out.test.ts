import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { ready } from "./handing-out.ts";
import type { Lease } from "./lease.ts";
import {
  aCandidate,
  aContributor,
  aDecider,
  ada,
  aLease,
  feedOf,
  type InTheLedger,
  MINUTE,
  NOW,
  openPolicy,
} from "./testing/small-decider.ts";

const READY = { kind: "ready", ...ada } as const;
const OTHER = "conn-there-2";

function unavailable(reason: string, more: object = {}) {
  return { kind: "unavailable", connection: ada.connection, reason, ...more };
}

/** Limits how many tasks newcomers may hold at once. */
function mostHeld(max_concurrent: number) {
  const newcomer = { ...openPolicy.limits.newcomer, max_concurrent };
  return { limits: { ...openPolicy.limits, newcomer } };
}

/** A lease whose connection was lost `awayMs` ago; without a session name unless `identity` has one. */
function left(number: number, awayMs: number, identity = "c-ada"): Lease {
  return aLease(number, { connection: undefined, awaySince: NOW - awayMs, identity });
}

test("who asks for work is given the first issue that nobody holds, for leaseTTL, under a new generation", () => {
  const held = aLease(1, { connection: OTHER });
  const decider = aDecider({ leases: [held], candidates: [1, 2, 3].map(aCandidate) });
  const asking = { askedAt: NOW - 5, backend: "claude", model: "opus", relayVersion: "1.2" };
  const effects = ready(decider, { ...READY, ...asking }, NOW);
  const { key, repo, title, url, updatedAt } = aCandidate(2);
  const lease: Lease = {
    taskId: "task-501",
    gen: 501,
    contributorId: "c-ada",
    identity: "c-ada",
    repo,
    number: 2,
    key,
    title,
    url,
    itemUpdatedAt: updatedAt,
    connection: ada.connection,
    assignedAt: NOW,
    acceptedAt: undefined,
    expiresAt: NOW + durations.leaseTtlMs,
    backend: "claude",
    model: "opus",
    relayVersion: "1.2",
    tier: "newcomer",
    waitedMs: 5,
  };
  expect(effects).toEqual([{ kind: "assign", connection: ada.connection, lease }]);
  expect(decider.ledger.leaseOnItem(key)).toEqual(lease);
  expect(decider.ledger.contributor("c-ada")).toMatchObject({ grants: 1, lastGen: 501, lastActiveAt: NOW });
  expect(feedOf(decider)).toEqual(["Ada picked up"]);
});

test.each<[string, InTheLedger, object]>([
  ["nothing is on offer", {}, unavailable("no_matching_work")],
  ["all that is on offer is held", { leases: [aLease(1, { connection: OTHER })] }, unavailable("no_matching_work")],
  ["nobody knows the contributor", { contributors: [] }, unavailable("tier_disabled")],
  ["the contributor is revoked", { contributors: [aContributor({ tier: "revoked" })] }, unavailable("tier_disabled")],
  ["the hub is not ready", { isReady: false }, unavailable("hub_not_ready")],
  [
    "the contributor is paused",
    { contributors: [aContributor({ pausedUntil: NOW + 9 })] },
    unavailable("contributor_failure_streak", { retryAfterMs: 9 }),
  ],
])("while %s the answer says so", (_why, on, answer) => {
  const candidates = on.isReady === undefined && on.contributors === undefined ? [] : [aCandidate(2)];
  const held = on.leases === undefined ? candidates : [aCandidate(1)];
  const decider = aDecider({ candidates: held, ...on });
  expect(ready(decider, READY, NOW)).toStrictEqual([answer]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("a relay that was not asked for is given work, or hears nothing, and gives up nothing", () => {
  const kept = left(1, 2 * MINUTE);
  const decider = aDecider({ leases: [kept] });
  expect(ready(decider, { ...READY, unasked: true }, NOW)).toEqual([]);
  expect(decider.ledger.lease("t-1")).toBe(kept);
  const more = aDecider({ leases: [kept], candidates: [aCandidate(2)] });
  expect(ready(more, { ...READY, unasked: true }, NOW)).toMatchObject([{ kind: "assign" }]);
});

test("a socket that has a task gets no second one while the hub looks for work", () => {
  const decider = aDecider({ leases: [aLease(1)], candidates: [aCandidate(2)] });
  expect(ready(decider, { ...READY, unasked: true }, NOW)).toEqual([]);
  const both = [aLease(1), aLease(3, { connection: OTHER })];
  expect(ready(aDecider({ leases: both, candidates: [aCandidate(2)] }), { ...READY, unasked: true }, NOW)).toEqual([]);
  const beside = aDecider({ leases: [aLease(1, { connection: OTHER })], candidates: [aCandidate(2)] });
  expect(ready(beside, { ...READY, unasked: true }, NOW)).toHaveLength(1);
});

test("asking for work gives back what the socket has: ten minutes' hold, nobody's failure, and another issue", () => {
  const decider = aDecider({ leases: [aLease(1)], candidates: [aCandidate(2)] });
  expect(ready(decider, READY, NOW)).toMatchObject([
    { kind: "released", connection: ada.connection, taskId: "t-1" },
    { kind: "assign", lease: { number: 2 } },
  ]);
  expect(decider.ledger.changes.endings).toMatchObject([{ lease: { taskId: "t-1" }, outcome: "given_back" }]);
  const hold = { holdReason: "given_back", holdUntil: NOW + durations.dropHoldMs, failures: 0 };
  expect(decider.ledger.item("acme/one#1")).toMatchObject(hold);
  expect(feedOf(decider)).toEqual(["Ada released: gave the task back", "Ada picked up"]);
});

test("what was held by a connection that is gone is given up without telling it", () => {
  const decider = aDecider({ leases: [left(1, MINUTE)] });
  expect(ready(decider, READY, NOW)).toEqual([unavailable("no_matching_work")]);
  expect(decider.ledger.changes.endings).toHaveLength(1);
});

test("what another machine may come back for is given up only where the tier has no room left", () => {
  const given = (on: InTheLedger) => {
    const decider = aDecider({ leases: [left(1, 1)], candidates: [aCandidate(2)], ...on });
    const last = ready(decider, READY, NOW).at(-1);
    return [decider.ledger.changes.endings.length, last?.kind];
  };
  expect(given({ policy: mostHeld(1) })).toEqual([1, "assign"]);
  expect(given({ policy: mostHeld(2) })).toEqual([0, "assign"]);
  expect(given({ policy: mostHeld(0) })).toEqual([0, "assign"]);
  const [revoked, nobody] = [[aContributor({ tier: "revoked" })], []];
  expect(given({ policy: mostHeld(1), contributors: revoked })).toEqual([0, "unavailable"]);
  expect(given({ policy: mostHeld(1), contributors: nobody })).toEqual([0, "unavailable"]);
});

test("the queue hears of what was given up before it is asked for work", () => {
  const decider = aDecider({ leases: [aLease(1)] });
  ready(decider, READY, NOW);
  expect(decider.touched).toEqual(["acme/one#1"]);
});
