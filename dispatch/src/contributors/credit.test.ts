import { CodeHostMemory } from "@nest/codehost";
import { expect, test } from "vitest";
import { whyNotCredited } from "./credit.ts";

const WEB = "https://github.com";
const MINUTE = 60_000;
const ASSIGNED = Date.UTC(2026, 0, 1);
const WORK = {
  repo: "acme/one",
  number: 7,
  key: "acme/one#7",
  assignedAt: ASSIGNED,
  completedAt: ASSIGNED + 10 * MINUTE,
};

function aPull(facts: object = {}) {
  return new CodeHostMemory().setPullRequest({
    repo: "acme/one",
    number: 40,
    author: "Ada",
    createdAt: ASSIGNED,
    ...facts,
  });
}

function why(facts: object, accountId?: number) {
  return whyNotCredited(aPull(facts), WORK, { login: "ada", accountId }, "nest[bot]", WEB);
}

const APP = { author: "nest[bot]", authorIsApp: true };

test.each<[string, object, RegExp | undefined]>([
  ["one's own, whatever its branch", {}, undefined],
  ["a minute before the assignment", { createdAt: ASSIGNED - MINUTE }, undefined],
  ["more than a minute before", { createdAt: ASSIGNED - MINUTE - 1 }, /before the task was assigned/],
  ["of another repository", { baseRepo: "acme/two" }, /not of this repository/],
  ["of the repository in other letters", { baseRepo: "ACME/One" }, undefined],
  ["somebody else's", { author: "eve" }, /opened by somebody else/],
  ["a person with the app's name", { author: "nest[bot]" }, /opened by somebody else/],
  ["the app's for another issue", { ...APP, headRef: "nest/issue-8" }, /does not name the assigned issue/],
  ["the app's for an issue whose number begins alike", { ...APP, headRef: "nest/issue-70" }, /does not name/],
  ["the app's whose branch only ends in the number", { ...APP, headRef: "release-7" }, /does not name/],
  ["the app's by branch", { ...APP, headRef: "nest/issue-7-again" }, undefined],
  ["the app's by its text", { ...APP, body: "Resolves acme/one#7" }, undefined],
  ["the app's by its title", { ...APP, title: "fixes #7" }, undefined],
  ["the app's that speaks of it in passing", { ...APP, body: "like #7" }, /does not name/],
  ["the app's after the task was over", { ...APP, body: "fixes #7", createdAt: ASSIGNED + 12 * MINUTE }, /was over/],
  ["the app's a minute after", { ...APP, body: "fixes #7", createdAt: ASSIGNED + 11 * MINUTE }, undefined],
])("a pull request that is %s", (_what, facts, fault) => {
  if (fault === undefined) expect(why(facts)).toBeUndefined();
  else expect(why(facts)).toMatch(fault);
});

test.each<[string, object, RegExp | undefined]>([
  ["in whatever letters its branch says it", { headRef: "nest/ISSUE-7" }, undefined],
  ["by its own issue alone, not by another that it closes", { body: "fixes #8" }, /does not name/],
])("the app's pull request is a task's %s", (_what, facts, fault) => {
  if (fault === undefined) expect(why({ ...APP, ...facts })).toBeUndefined();
  else expect(why({ ...APP, ...facts })).toMatch(fault);
});

test("of a contributor whom nobody knows any more, only the app's pull request can be", () => {
  const whose = (facts: object) => whyNotCredited(aPull(facts), WORK, undefined, "nest[bot]", WEB);
  expect(whose({})).toMatch(/somebody else/);
  expect(whose({ ...APP, body: "fixes #7" })).toBeUndefined();
});

test("nobody is credited for the app's pull request where the hub is no app", () => {
  const pull = aPull({ ...APP, body: "fixes #7" });
  expect(whyNotCredited(pull, WORK, { login: "ada", accountId: undefined }, undefined, WEB)).toMatch(/somebody else/);
});

test("whose pull request it is, the account's number says, and the login only where no number was proven", () => {
  expect(why({ authorId: 7, author: "renamed" }, 7)).toBeUndefined();
  expect(why({ authorId: 8, author: "ada" }, 7)).toMatch(/somebody else/);
  expect(why({ authorId: undefined, author: "ada" }, 7)).toMatch(/somebody else/);
  expect(why({ authorId: 8, author: "ADA" })).toBeUndefined();
});
