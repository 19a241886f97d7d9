import { expect, test } from "vitest";
import { decidedOf, recordOf } from "./batch-record.ts";
import { type Changes, noChanges } from "./changes.ts";
import type { Effect } from "./commands.ts";

const MINE = "aaaaaaaa";
const OTHERS = "conn-bbbbbbbb-1";

function through(changes: Partial<Changes>, effects: readonly Effect[] = []) {
  const record = recordOf({ changes: { ...noChanges(), ...changes }, effects: [effects] }, MINE);
  return decidedOf(JSON.parse(JSON.stringify(record)));
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

test.each<[string, Effect, boolean]>([
  ["a socket of our own", { kind: "ack", connection: `conn-${MINE}-1`, taskId: "t", gen: 1 }, false],
  ["a socket elsewhere", { kind: "revoke", connection: OTHERS, taskId: "t", reason: "r" }, true],
  ["a contributor, whose sockets may be anywhere", { kind: "close", contributorId: "c", reason: "r" }, true],
  ["a new standing", { kind: "standing", contributorId: "c", tier: "trusted" }, true],
  ["a newer socket of an identity", { kind: "joined", identity: "c", at: 1 }, true],
  ["nobody", { kind: "done", released: [] }, false],
])("an effect on %s is told to others: %s", (_whom, effect, isTold) => {
  expect(through({}, [effect]).effects.flat()).toEqual(isTold ? [effect] : []);
});
