import type { nests } from "@nest/protocol";
import { expect, test } from "vitest";
import { nameOf, progressWords, statusCounts, statusWords, stepWords, toneOf } from "./nest-words.ts";

const step = (name: string, state: nests.NestDetail["steps"][number]["state"]) => ({ name, state, attempt: 1 });

test("statuses are counted in the order of a nest's life, those of another release after them", () => {
  expect(statusCounts({ paused: 1, resting: 2, running: 3, provisioning: 4 }).map(([status]) => status)).toEqual([
    "provisioning",
    "running",
    "paused",
    "resting",
  ]);
});

test("a word that this release does not know is shown as it is, and none is said to be none", () => {
  expect([statusWords("half_asleep"), statusWords(""), toneOf("half_asleep"), stepWords("make_tea")]).toEqual([
    "half asleep",
    "no status",
    "quiet",
    "make tea",
  ]);
});

test.each([
  [[], "Nothing was done yet."],
  [[step("namespace", "done"), step("volume", "running")], "Step 2 of 2: Volume."],
  [[step("namespace", "done"), step("volume", "failed")], "Step 2 of 2 failed: Volume."],
  [[step("namespace", "done"), step("volume", "waiting")], "1 of 2 done."],
  [[step("namespace", "done"), step("storage", "skipped")], "All 2 steps are done."],
])("says how far the steps are", (steps, words) => {
  expect(progressWords(steps)).toBe(words);
});

test("a nest is called by its name, else its repository, else its id", () => {
  const of = (project_name: string, org: string, primary_repo: string) =>
    nameOf({ id: "hosted-a", project_name, org, primary_repo } as nests.NestRow);
  expect([
    of("Shop", "acme", "acme/shop"),
    of("", "acme", "shop"),
    of("", "acme", "acme/shop"),
    of("", "", ""),
  ]).toEqual(["Shop", "acme/shop", "acme/shop", "hosted-a"]);
});
