import { expect, test } from "vitest";
import { batchOfRecord, recordOf } from "./batch-record.ts";
import { type Changes, type Ending, noChanges } from "./changes.ts";
import type { Effect } from "./commands.ts";
import type { Lease } from "./lease.ts";

const MINE = "aaaaaaaa";
const OTHERS = "conn-bbbbbbbb-1";

function through(changes: Partial<Changes>, effects: readonly Effect[] = []) {
  const record = recordOf({ changes: { ...noChanges(), ...changes }, effects: [effects] }, MINE);
  return batchOfRecord(JSON.parse(JSON.stringify(record)));
}

function leaseOf(gen: number): Lease {
  return {
    taskId: `t-${gen}`,
    gen,
    contributorId: "c-1",
    identity: "c-1",
    repo: "a",
    number: gen,
    key: `a#${gen}`,
    title: "An issue",
    url: `https://x/a/issues/${gen}`,
    itemUpdatedAt: 1,
    connection: OTHERS,
    assignedAt: 2,
    acceptedAt: 3,
    expiresAt: 4,
  };
}

test("a batch is the same after it has been JSON", () => {
  const changes: Partial<Changes> = {
    granted: new Map([["t-1", { nth: 3, previous: 7 }]]),
    counted: new Map([["https://x/pull/1", { gen: 7, contributorId: "c-1", completedAt: 9 }]]),
    settings: new Map<string, unknown>([["hold:a#1", { reason: "later" }]]),
    gen: 7,
  };
  expect(through(changes).changes).toMatchObject(changes);
});

test("a setting that was removed is removed elsewhere too", () => {
  const { settings } = through({ settings: new Map([["queue_order", undefined]]) }).changes;
  expect([...settings]).toEqual([["queue_order", undefined]]);
});

test("a lease that ended is told with its ending alone, unless others have yet to hear that it was granted", () => {
  const [before, passing, live] = [1, 2, 3].map((gen) => leaseOf(gen)) as [Lease, Lease, Lease];
  const endings: Ending[] = [before, passing].map((lease) => ({
    lease,
    endedAt: 9,
    outcome: "expired",
    prState: "none",
  }));
  const told = through({
    leases: new Map([before, passing, live].map((lease) => [lease.taskId, lease])),
    granted: new Map([passing, live].map(({ taskId }, at) => [taskId, { nth: at + 1, previous: undefined }])),
    endings,
  }).changes;
  expect([...told.leases.values()]).toEqual([passing, live]);
  expect(told.endings).toEqual(endings);
});

test("of an activity's task others hear what the feed tells", () => {
  const { taskId, gen, repo, number, title, url } = leaseOf(7);
  const line = { id: 1, at: 2, login: "ada", action: "assigned" };
  const { activity } = through({ activity: [{ ...line, task: leaseOf(7) }, line] }).changes;
  expect(activity).toEqual([{ ...line, task: { taskId, gen, repo, number, title, url } }, line]);
});

test.each<[string, Effect, boolean]>([
  ["a socket of our own", { kind: "ack", connection: `conn-${MINE}-1`, taskId: "t", gen: 1 }, false],
  ["a socket elsewhere", { kind: "revoke", connection: OTHERS, taskId: "t", reason: "r" }, true],
  ["a contributor, whose sockets may be anywhere", { kind: "close", contributorId: "c", reason: "r" }, true],
  ["a new standing", { kind: "standing", contributorId: "c", tier: "trusted" }, true],
  ["nobody", { kind: "done", released: [] }, false],
])("an effect on %s is told to others: %s", (_whom, effect, isTold) => {
  expect(through({}, [effect]).effects.flat()).toEqual(isTold ? [effect] : []);
});
