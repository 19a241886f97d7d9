import { durations, NO_ACTIVE_LEASE } from "@nest/protocol";
import { expect, test } from "vitest";
import { freshItem } from "./cooldown.ts";
import type { DeciderPolicy } from "./decider-deps.ts";
import type { Lease } from "./lease.ts";
import { accepted, dropped, gone, progress } from "./relay-reports.ts";
import { about, aContributor, aDecider, ada, aLease, feedOf, MINUTE, NOW } from "./testing/small-decider.ts";

const OTHER = "conn-there-2";
const offered = aLease(1, { acceptedAt: undefined });
const working = aLease();
const waiting = aLease(1, { connection: undefined, awaySince: NOW - MINUTE });

function said(lease: Lease, more: object = {}) {
  return { kind: "progress" as const, ...about(lease), repo: lease.repo, number: lease.number, ...more };
}

const REFUSED = [{ kind: "revoke", connection: ada.connection, taskId: "t-1", reason: NO_ACTIVE_LEASE }];

test("an accepted task is held from then on, and not for longer than it was", () => {
  const decider = aDecider({ leases: [offered] });
  const lease = { ...offered, acceptedAt: NOW };
  expect(accepted(decider, { kind: "accepted", ...about(offered) }, NOW)).toEqual([
    { kind: "credential_due", connection: ada.connection, lease, resumed: false },
  ]);
  expect(decider.ledger.lease("t-1")).toEqual(lease);
});

test.each<[string, Lease, object]>([
  ["of no task that is known", offered, { taskId: "t-9" }],
  ["of another generation", offered, { gen: 1 }],
  ["at the moment the lease expires", { ...offered, expiresAt: NOW }, {}],
  ["from another socket", offered, { connection: OTHER }],
  ["of what was accepted before", working, {}],
])("an acceptance %s changes nothing", (_what, lease, more) => {
  const decider = aDecider({ leases: [lease] });
  expect(accepted(decider, { kind: "accepted", ...about(offered), ...more }, NOW)).toEqual([]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("progress of a task in hand moves its expiry to now + leaseTTL, and counts as acceptance", () => {
  const decider = aDecider({ leases: [offered] });
  expect(progress(decider, said(offered), NOW)).toEqual([]);
  const { leaseTtlMs } = durations;
  expect(decider.ledger.lease("t-1")).toEqual({ ...offered, acceptedAt: NOW, expiresAt: NOW + leaseTtlMs });
});

test.each<[string, Lease, object]>([
  ["of another generation", working, { gen: 1 }],
  ["at the moment the lease expires", { ...working, expiresAt: NOW }, {}],
])("progress %s on the socket that has the task changes nothing, and is not answered", (_what, lease, more) => {
  const decider = aDecider({ leases: [lease] });
  expect(progress(decider, said(lease, more), NOW)).toEqual([]);
  expect(decider.ledger.isDirty).toBe(false);
});

test("an exact claim resumes a task whose socket is gone: held, renewed, and the drop's hold taken back", () => {
  const drop = { ...freshItem(waiting.key), holdReason: "connection_lost" as const, holdUntil: NOW + 1 };
  const decider = aDecider({ leases: [waiting], items: [drop] });
  const lease = { ...waiting, connection: ada.connection, awaySince: undefined };
  expect(progress(decider, said(waiting), NOW)).toEqual([
    { kind: "credential_due", connection: ada.connection, lease, resumed: true },
  ]);
  expect(decider.ledger.lease("t-1")).toEqual({ ...lease, expiresAt: NOW + durations.leaseTtlMs });
  expect(decider.ledger.item(waiting.key)?.holdReason).toBeUndefined();
  expect(feedOf(decider)).toEqual(["Ada resumed"]);
  expect(decider.ledger.changes.endings).toEqual([]);
});

test("a claim takes a task from a socket that was asked and did not answer, and that one is told", () => {
  const held = aLease(1, { connection: OTHER });
  const decider = aDecider({ leases: [held] });
  expect(progress(decider, said(held, { silent: OTHER }), NOW)).toMatchObject([
    { kind: "credential_due", connection: ada.connection, resumed: true },
    { kind: "revoke", connection: OTHER, taskId: "t-1", reason: "resumed on a newer connection" },
  ]);
});

test.each<[string, readonly Lease[], object]>([
  ["for a task that is not known", [], {}],
  ["for a lease that has expired", [{ ...waiting, expiresAt: NOW }], {}],
  ["with another issue's number", [waiting], { number: 2 }],
  ["for a task that a living socket has in hand", [aLease(1, { connection: OTHER })], {}],
  ["for a second task on one socket", [waiting, aLease(2)], {}],
])("a claim %s is refused, and the record stays whose it is", (_what, leases, more) => {
  const decider = aDecider({ leases });
  expect(progress(decider, said(waiting, more), NOW)).toEqual(REFUSED);
  expect(decider.ledger.isDirty).toBe(false);
});

test("a contributor who has another task on another socket may still resume", () => {
  const decider = aDecider({ leases: [waiting, aLease(2, { connection: OTHER })] });
  expect(progress(decider, said(waiting), NOW)).toMatchObject([{ kind: "credential_due" }]);
});

test.each<[string, Partial<DeciderPolicy>, object[]]>([
  ["contribution is suspended", { suspended: true }, [{}]],
  ["the tier is disabled", { disabledTiers: new Set(["newcomer"]) }, [{}]],
  ["the contributor is revoked", {}, [{ tier: "revoked" }]],
  ["nobody knows the contributor", {}, []],
])("while %s a claim ends the task, which is nobody's failure", (_why, policy, people) => {
  const contributors = people.map((change) => aContributor(change));
  const decider = aDecider({ leases: [waiting], policy, contributors });
  expect(progress(decider, said(waiting), NOW)).toEqual(REFUSED);
  expect(decider.ledger.changes.endings).toMatchObject([
    { outcome: "given_back", reason: "resume refused while suspended", endedAt: NOW, prState: "none" },
  ]);
  expect(decider.ledger.item(waiting.key)).toMatchObject({ holdReason: "given_back", failures: 0 });
  expect(feedOf(decider)).toEqual([`${people.length === 0 ? "c-ada" : "Ada"} released: connection lost`]);
});

test("what a socket that is gone held is kept until its expiry, and held back for ten minutes; the rest stays", () => {
  const sibling = aLease(2, { connection: OTHER });
  const decider = aDecider({ leases: [working, sibling] });
  expect(dropped(decider, { kind: "dropped", ...ada }, NOW)).toEqual([]);
  expect(decider.ledger.lease("t-1")).toEqual({ ...working, connection: undefined, awaySince: NOW });
  const hold = { holdReason: "connection_lost", holdUntil: NOW + durations.dropHoldMs };
  expect(decider.ledger.item(working.key)).toMatchObject(hold);
  expect(decider.ledger.lease("t-2")).toBe(sibling);
  expect(decider.ledger.item(sibling.key)).toBeUndefined();
});

test("what a replica that is gone held is kept as after a drop; other replicas' and what was away before stay", () => {
  const longAway = aLease(2, { connection: undefined, awaySince: 5 });
  const elsewhere = aLease(3, { connection: OTHER });
  const decider = aDecider({ leases: [working, longAway, elsewhere] });
  expect(gone(decider, { kind: "replica_lost", replica: "here" }, NOW)).toEqual([]);
  expect([...decider.ledger.liveLeases()]).toEqual([
    { ...working, connection: undefined, awaySince: NOW },
    longAway,
    elsewhere,
  ]);
  const hold = { key: working.key, holdReason: "connection_lost", holdUntil: NOW + durations.dropHoldMs };
  expect([...decider.ledger.items()]).toMatchObject([hold]);
});
