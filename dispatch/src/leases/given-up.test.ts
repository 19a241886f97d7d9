import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { givenUpFor } from "./given-up.ts";
import type { Lease } from "./lease.ts";

const NOW = 1_000_000;
const MINUTE = 60_000;

function aLease(taskId: string, identity: string, connection: string | undefined, awayMs = 0): Lease {
  return {
    taskId,
    gen: 1,
    contributorId: "c",
    identity,
    repo: "acme/one",
    number: 1,
    key: `acme/one#${taskId}`,
    title: "",
    url: "",
    itemUpdatedAt: 0,
    connection,
    awaySince: connection === undefined ? NOW - awayMs : undefined,
    assignedAt: 0,
    acceptedAt: 0,
    expiresAt: NOW + 1,
  };
}

const named = { connection: "mine", contributorId: "c", identity: "c#desk" };
const nameless = { connection: "mine", contributorId: "c", identity: "c" };

test.each<[string, typeof named, Lease[], number, string[]]>([
  ["what its own connection holds", named, [aLease("a", "c#desk", "mine")], 0, ["a"]],
  ["nothing that a living sibling holds", named, [aLease("a", "c#desk", "theirs"), aLease("b", "c", "too")], 1, []],
  ["what was held under its own name, at once", named, [aLease("a", "c#desk", undefined)], 0, ["a"]],
  ["nothing under another name, however long", named, [aLease("a", "c#laptop", undefined, 9 * MINUTE)], 1, []],
  ["nothing without a name for a minute", named, [aLease("a", "c", undefined, MINUTE - 1)], 0, []],
  ["what was held without a name, after it", named, [aLease("a", "c", undefined, MINUTE)], 0, ["a"]],
  ["nothing without a name for a minute, having none", nameless, [aLease("a", "c", undefined, MINUTE - 1)], 0, []],
  ["what was held without a name, at once, where there is no room", nameless, [aLease("a", "c", undefined)], 1, ["a"]],
  ["nothing where there is room", nameless, [aLease("a", "c", undefined)], 2, []],
  [
    "only as much as makes room, longest away first",
    nameless,
    [aLease("a", "c", undefined, 1), aLease("b", "c", undefined, 9), aLease("d", "c#desk", "live")],
    3,
    ["b"],
  ],
  ["no more where its own made room", nameless, [aLease("a", "c", "mine"), aLease("b", "c", undefined)], 2, ["a"]],
])("ready gives up %s", (_what, asker, leases, mostHeld, given) => {
  expect(givenUpFor(asker, leases, mostHeld, durations, NOW).map(({ taskId }) => taskId)).toEqual(given);
});

test("what nobody knows to be away since when is away since now: others go first where there is no room", () => {
  const unknown = { ...aLease("a", "c", undefined), awaySince: undefined };
  const givenUp = (leases: Lease[], mostHeld: number) =>
    givenUpFor(nameless, leases, mostHeld, durations, NOW).map(({ taskId }) => taskId);
  expect(givenUp([unknown, aLease("b", "c", undefined, 1)], 2)).toEqual(["b"]);
  expect(givenUp([aLease("b", "c", undefined, 1), unknown], 2)).toEqual(["b"]);
  expect(givenUp([unknown], 0)).toEqual([]);
});
