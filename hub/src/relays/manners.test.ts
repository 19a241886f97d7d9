import { expect, test } from "vitest";
import { mannersOf } from "./manners.ts";

test.each([
  ["this release", ["task_ack", "task_push"], "1.2", { isOurs: true, neverAsksAgain: false }],
  ["this release, whatever version it says", ["task_ack"], undefined, { isOurs: true, neverAsksAgain: false }],
  [
    "another one with names of its own",
    ["quota_preflight_v1", "run-stage"],
    "1.4",
    { isOurs: false, neverAsksAgain: false },
  ],
  ["an early one that says its version", [], "1.1", { isOurs: false, neverAsksAgain: false }],
  ["the first one, which says nothing", [], undefined, { isOurs: false, neverAsksAgain: true }],
])("a relay of %s", (_, announced, version, manners) => {
  expect(mannersOf(new Set(announced), version)).toMatchObject(manners);
});

test("an addition is for relays that announced it by name", () => {
  const manners = mannersOf(new Set(["task_push"]), "1.2");
  expect([manners.knows("task_push"), manners.knows("task_ack")]).toEqual([true, false]);
});
