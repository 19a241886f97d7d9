import { expect, test } from "vitest";
import { hubFindings, morePages } from "./find.ts";

const admin = { authenticated: true, hub_admin: true };
const visitor = { authenticated: false, hub_admin: false };
const addresses = (words: string, who = admin) => hubFindings(words, who).map(({ address }) => address);

test("an issue, written as people write it or as its address, and a task lead to their pages alone", () => {
  expect(addresses("acme/web.site#7")).toEqual(["/issues/acme/web.site/7"]);
  expect(addresses("https://code.example/acme/one/issues/12")).toEqual(["/issues/acme/one/12"]);
  expect(addresses("task-1-9f3146ab46ef")).toEqual(["/tasks/task-1-9f3146ab46ef"]);
});

test("words are searched for in the lists that one may read, and go into the address as they are", () => {
  expect(addresses("a&b #x", visitor)).toEqual([
    "/operations?q=a%26b%20%23x",
    "/operations?queue=withheld&q=a%26b%20%23x",
    "/operations?relay_q=a%26b%20%23x",
  ]);
  expect(addresses("ada")).toContain("/audit?q=ada");
  expect(addresses("")).toEqual([]);
});

test("what the bar has no room for is found by its name, by who may go there", () => {
  expect(morePages(visitor).map(({ address }) => address)).toEqual(["/issues"]);
  expect(morePages(admin).map(({ address }) => address)).toContain("/tokens");
});
