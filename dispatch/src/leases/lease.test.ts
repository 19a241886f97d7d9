import { expect, test } from "vitest";
import {
  away,
  hasExpired,
  isInOtherHands,
  itemKey,
  type Lease,
  type LeaseClaim,
  leaseState,
  renew,
  resume,
  speaksOf,
} from "./lease.ts";

function aLease(changes: Partial<Lease> = {}): Lease {
  return {
    taskId: "t-1",
    gen: 7,
    contributorId: "c-1",
    identity: "c-1",
    repo: "Meadow/Tide-Clock",
    number: 12,
    key: "meadow/tide-clock#12",
    title: "An issue",
    url: "http://codehost/12",
    itemUpdatedAt: 0,
    connection: undefined,
    assignedAt: 0,
    acceptedAt: 1,
    expiresAt: 1000,
    ...changes,
  };
}

const claim: LeaseClaim = { contributorId: "c-1", taskId: "t-1", gen: 7, repo: "meadow/tide-clock", number: 12 };

test("a claim that equals the recorded lease is resumed on the new socket, and not extended by that", () => {
  expect(resume(aLease(), claim, "conn-2", 999)).toMatchObject({
    kind: "resumed",
    lease: { connection: "conn-2", expiresAt: 1000, gen: 7 },
  });
});

test.each<[string, Partial<LeaseClaim>]>([
  ["another contributor", { contributorId: "c-2" }],
  ["another task", { taskId: "t-2" }],
  ["another repository", { repo: "meadow/other" }],
  ["no repository", { repo: undefined }],
  ["another number", { number: 13 }],
  ["no number", { number: undefined }],
  ["an old generation", { gen: 6 }],
  ["generation 0", { gen: 0 }],
  ["no generation", { gen: undefined }],
])("a claim with %s is refused", (_what, wrong) => {
  expect(resume(aLease(), { ...claim, ...wrong }, "conn-2", 0)).toEqual({ kind: "refused", because: "mismatch" });
});

test("a lease is gone at the very moment it expires", () => {
  expect(hasExpired(aLease(), 999)).toBe(false);
  expect(hasExpired(aLease(), 1000)).toBe(true);
  expect(resume(aLease(), claim, "conn-2", 1000)).toMatchObject({ because: "expired" });
  expect(resume(undefined, claim, "conn-2", 0)).toMatchObject({ because: "mismatch" });
});

test("an accepted progress report moves the expiry to now + leaseTTL and counts as acceptance", () => {
  expect(renew(aLease({ acceptedAt: undefined }), 500, 900)).toMatchObject({ acceptedAt: 900, expiresAt: 1400 });
});

test("a report without a generation speaks of the lease by its task id; a wrong generation never does", () => {
  const report = { contributorId: "c-1", taskId: "t-1", gen: undefined };
  expect(speaksOf(aLease(), report)).toBe(true);
  expect([0, 6, 8].map((gen) => speaksOf(aLease(), { ...report, gen }))).toEqual([false, false, false]);
  expect(speaksOf(aLease(), { ...report, contributorId: "c-2" })).toBe(false);
  expect(speaksOf(undefined, report)).toBe(false);
});

test("a lease is in other hands while another socket has it that was not found silent", () => {
  const held = aLease({ connection: "one" });
  expect(isInOtherHands(held, { connection: "two" })).toBe(true);
  expect(isInOtherHands(held, { connection: "two", silent: "three" })).toBe(true);
  expect(isInOtherHands(held, { connection: "two", silent: "one" })).toBe(false);
  expect(isInOtherHands(held, { connection: "one" })).toBe(false);
  expect(isInOtherHands(away(held, 5), { connection: "two" })).toBe(false);
  expect(isInOtherHands(away(held, 5), { connection: "two", silent: "one" })).toBe(false);
});

test("a lease is offered until accepted, then working, and away without a socket", () => {
  expect(leaseState(aLease({ connection: "a", acceptedAt: undefined }))).toBe("offered");
  expect(leaseState(aLease({ connection: "a" }))).toBe("working");
  expect(leaseState(aLease())).toBe("away");
});

test("an issue has one key, however its repository is spelled", () => {
  expect(itemKey("Meadow/Tide-Clock", 3)).toBe(itemKey("meadow/tide-clock", 3));
});

test("the lease of a socket that is gone keeps everything but the socket, and since when", () => {
  const held = aLease({ connection: "one" });
  expect(away(held, 5)).toEqual({ ...held, connection: undefined, awaySince: 5 });
});

test("a lease that was accepted stays so since then, whether it is renewed or resumed", () => {
  expect(renew(aLease({ acceptedAt: 3 }), 500, 900).acceptedAt).toBe(3);
  expect(resume(aLease({ acceptedAt: 3, awaySince: 4 }), claim, "conn-2", 900)).toEqual({
    kind: "resumed",
    lease: aLease({ acceptedAt: 3, awaySince: undefined, connection: "conn-2" }),
  });
  expect(resume(aLease({ acceptedAt: undefined }), claim, "conn-2", 900)).toMatchObject({ lease: { acceptedAt: 900 } });
});

test("a claim that comes too late is refused as that, and a report of another task speaks of no lease here", () => {
  expect(resume(aLease(), claim, "conn-2", 1000)).toEqual({ kind: "refused", because: "expired" });
  const report = { contributorId: "c-1", taskId: "t-1", gen: 7 };
  expect(speaksOf(aLease(), report)).toBe(true);
  expect(speaksOf(aLease(), { ...report, taskId: "t-2" })).toBe(false);
});
