import { expect, test } from "vitest";
import { AuthorizedUsers, readGrant, readGrants } from "./authorized-users.ts";

test.each([
  ["ada:owner", false, { login: "ada", role: "owner" }],
  [" Ada : merger ", false, { login: "Ada", role: "merger" }],
  ["ada:read-write", true, { login: "ada", role: "read-write" }],
  ["ada", true, { login: "ada", role: "owner" }],
  ["ada", false, { login: "ada", role: "read" }],
])("the entry %j (the first of its list: %s) is a grant", (entry, isFirst, grant) => {
  expect(readGrant(entry, isFirst)).toEqual(grant);
});

test.each([
  "",
  ":",
  "ada:",
  ":owner",
  "ada:king",
  "ada:OWNER",
  "ada:owner:read",
  "a b:owner",
  "-ada:owner",
  "аda:owner",
  "ada\u0000:owner",
  "*:owner",
  "__proto__:owner",
])("the entry %j gives nobody anything", (entry) => {
  expect(readGrant(entry, true)).toBeUndefined();
});

test("a faulty first entry makes nobody else the owner", () => {
  const { grants, faulty } = readGrants([":owner", "ada", "rob"]);
  expect([...grants.values()].map(({ role }) => role)).toEqual(["read", "read"]);
  expect(faulty).toEqual([":owner"]);
});

test("logins are compared without regard to case, and of two entries for one the later counts", () => {
  const users = new AuthorizedUsers([], ["Ada:owner", "ADA:read"]);
  expect(users.roleOf("aDa")).toBe("read");
});

test("what the environment says stays, whatever the list says", () => {
  const users = new AuthorizedUsers(["root"], ["ada:owner", "root:read"]);
  expect([users.roleOf("root"), users.roleOf("ada")]).toEqual(["owner", "owner"]);
  users.set([]);
  expect([users.roleOf("root"), users.roleOf("ada")]).toEqual(["owner", undefined]);
  expect(users.hasOwner([])).toBe(true);
});

test.each(["constructor", "__proto__", "toString"])("nobody is authorized by the name %s", (login) => {
  expect(new AuthorizedUsers([], ["ada:owner"]).roleOf(login)).toBeUndefined();
});
