import { durations, NO_ACTIVE_LEASE } from "@nest/protocol";
import { expect, test } from "vitest";
import { freshItem } from "./cooldown.ts";
import type { DeskPolicy } from "./decider-deps.ts";
import type { Lease } from "./lease.ts";
import { accepted, dropped, gone, progress } from "./relay-reports.ts";
import { about, aContributor, aDesk, ada, aLease, feedOf, MINUTE, NOW } from "./testing/small-decider.ts";

const OTHER = "conn-there-2";
const offered = aLease(1, { acceptedAt: undefined });
const working = aLease();
const waiting = aLease(1, { connection: undefined, awaySince: NOW - MINUTE });

function said(lease: Lease, more: object = {}) {
  return { kind: "progress" as const, ...about(lease), repo: lease.repo, number: lease.number, ...more };
}

const REFUSED = [{ kind: "revoke", connection: ada.connection, taskId: "t-1", reason: NO_ACTIVE_LEASE }];

test("an accepted task is held from then on, and not for longer than it was", () => {
  const desk = aDesk({ leases: [offered] });
  const lease = { ...offered, acceptedAt: NOW };
  expect(accepted(desk, { kind: "accepted", ...about(offered) }, NOW)).toEqual([
    { kind: "held", connection: ada.connection, lease, resumed: false },
  ]);
  expect(desk.ledger.lease("t-1")).toEqual(lease);
});

test.each<[string, Lease, object]>([
  ["of no task that is known", offered, { taskId: "t-9" }],
  ["of another generation", offered, { gen: 1 }],
  ["at the moment the lease expires", { ...offered, expiresAt: NOW }, {}],
  ["from another socket", offered, { connection: OTHER }],
  ["of what was accepted before", working, {}],
])("an acceptance %s changes nothing", (_what, lease, more) => {
  const desk = aDesk({ leases: [lease] });
  expect(accepted(desk, { kind: "accepted", ...about(offered), ...more }, NOW)).toEqual([]);
  expect(desk.ledger.isDirty).toBe(false);
});

test("progress of a task in hand moves its expiry to now + leaseTTL, and counts as acceptance", () => {
  const desk = aDesk({ leases: [offered] });
  expect(progress(desk, said(offered), NOW)).toEqual([]);
  const { leaseTtlMs } = durations;
  expect(desk.ledger.lease("t-1")).toEqual({ ...offered, acceptedAt: NOW, expiresAt: NOW + leaseTtlMs });
});

test.each<[string, Lease, object]>([
  ["of another generation", working, { gen: 1 }],
  ["at the moment the lease expires", { ...working, expiresAt: NOW }, {}],
])("progress %s on the socket that has the task changes nothing, and is not answered", (_what, lease, more) => {
  const desk = aDesk({ leases: [lease] });
  expect(progress(desk, said(lease, more), NOW)).toEqual([]);
  expect(desk.ledger.isDirty).toBe(false);
});

test("an exact claim resumes a task whose socket is gone: held, renewed, and the drop's hold taken back", () => {
  const drop = { ...freshItem(waiting.key), holdReason: "connection_lost" as const, holdUntil: NOW + 1 };
  const desk = aDesk({ leases: [waiting], items: [drop] });
  const lease = { ...waiting, connection: ada.connection, awaySince: undefined };
  expect(progress(desk, said(waiting), NOW)).toEqual([
    { kind: "held", connection: ada.connection, lease, resumed: true },
  ]);
  expect(desk.ledger.lease("t-1")).toEqual({ ...lease, expiresAt: NOW + durations.leaseTtlMs });
  expect(desk.ledger.item(waiting.key)?.holdReason).toBeUndefined();
  expect(feedOf(desk)).toEqual(["Ada resumed"]);
  expect(desk.ledger.changes.endings).toEqual([]);
});

test("a claim takes a task from a socket that was asked and did not answer, and that one is told", () => {
  const held = aLease(1, { connection: OTHER });
  const desk = aDesk({ leases: [held] });
  expect(progress(desk, said(held, { silent: OTHER }), NOW)).toMatchObject([
    { kind: "held", connection: ada.connection, resumed: true },
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
  const desk = aDesk({ leases });
  expect(progress(desk, said(waiting, more), NOW)).toEqual(REFUSED);
  expect(desk.ledger.isDirty).toBe(false);
});

test("a contributor who has another task on another socket may still resume", () => {
  const desk = aDesk({ leases: [waiting, aLease(2, { connection: OTHER })] });
  expect(progress(desk, said(waiting), NOW)).toMatchObject([{ kind: "held" }]);
});

test.each<[string, Partial<DeskPolicy>, object[]]>([
  ["contribution is suspended", { suspended: true }, [{}]],
  ["the tier is disabled", { disabledTiers: new Set(["newcomer"]) }, [{}]],
  ["the contributor is revoked", {}, [{ tier: "revoked" }]],
  ["nobody knows the contributor", {}, []],
])("while %s a claim ends the task, which is nobody's failure", (_why, policy, people) => {
  const contributors = people.map((change) => aContributor(change));
  const desk = aDesk({ leases: [waiting], policy, contributors });
  expect(progress(desk, said(waiting), NOW)).toEqual(REFUSED);
  expect(desk.ledger.changes.endings).toMatchObject([
    { outcome: "given_back", reason: "resume refused while suspended", endedAt: NOW, prState: "none" },
  ]);
  expect(desk.ledger.item(waiting.key)).toMatchObject({ holdReason: "given_back", failures: 0 });
  expect(feedOf(desk)).toEqual([`${people.length === 0 ? "c-ada" : "Ada"} released: connection lost`]);
});

test("what a socket that is gone held is kept until its expiry, and held back for ten minutes; the rest stays", () => {
  const sibling = aLease(2, { connection: OTHER });
  const desk = aDesk({ leases: [working, sibling] });
  expect(dropped(desk, { kind: "dropped", ...ada }, NOW)).toEqual([]);
  expect(desk.ledger.lease("t-1")).toEqual({ ...working, connection: undefined, awaySince: NOW });
  const hold = { holdReason: "connection_lost", holdUntil: NOW + durations.dropHoldMs };
  expect(desk.ledger.item(working.key)).toMatchObject(hold);
  expect(desk.ledger.lease("t-2")).toBe(sibling);
  expect(desk.ledger.item(sibling.key)).toBeUndefined();
});

test("what a replica that is gone held is kept as after a drop; other replicas' and what was away before stay", () => {
  const longAway = aLease(2, { connection: undefined, awaySince: 5 });
  const elsewhere = aLease(3, { connection: OTHER });
  const desk = aDesk({ leases: [working, longAway, elsewhere] });
  expect(gone(desk, { kind: "gone", replica: "here" }, NOW)).toEqual([]);
  expect([...desk.ledger.liveLeases()]).toEqual([
    { ...working, connection: undefined, awaySince: NOW },
    longAway,
    elsewhere,
  ]);
  const hold = { key: working.key, holdReason: "connection_lost", holdUntil: NOW + durations.dropHoldMs };
  expect([...desk.ledger.items()]).toMatchObject([hold]);
});
