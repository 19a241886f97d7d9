import { expect, test } from "vitest";
import { givenRole, type Person, roleOn, whyNotGrant } from "./roles.ts";

const nest = { id: "hosted-acme-shop-abcd", owner: "Ada" };
const person = (login: string, more: Partial<Person> = {}): Person => ({
  login,
  user: { nests: {}, blocked: false },
  isAdmin: false,
  ...more,
});

test("the owner that the record names is an owner, in whatever spelling", () => {
  expect(roleOn(nest, person("aDA"))).toBe("owner");
});

test("a role that was given holds for that nest alone", () => {
  const bob = person("bob", { user: { nests: { "hosted-acme-shop-abcd": "merger", other: "owner" }, blocked: false } });
  expect([roleOn(nest, bob), roleOn({ id: "third", owner: "x" }, bob)]).toEqual(["merger", undefined]);
});

test.each(["admin", "Owner", "", "__proto__", "toString"])("a role %o that there is not is none", (role) => {
  expect(roleOn(nest, person("bob", { user: { nests: { [nest.id]: role }, blocked: false } }))).toBeUndefined();
});

test("a nest called like a built-in property is nobody's", () => {
  expect(roleOn({ id: "constructor", owner: "" }, person("bob"))).toBeUndefined();
});

test("nobody without a login owns a nest that has no owner yet", () => {
  expect(roleOn({ id: "hosted-available-1", owner: "" }, person(""))).toBeUndefined();
});

test("a hub admin acts as owner, and was given nothing", () => {
  const admin = person("root", { isAdmin: true });
  expect([roleOn(nest, admin), givenRole(nest, admin)]).toEqual(["owner", undefined]);
});

test("somebody who is blocked has no role, not even on their own nest", () => {
  expect(roleOn(nest, person("ada", { user: { nests: {}, blocked: true } }))).toBeUndefined();
});

const owner = { role: "owner", isAdmin: false } as const;
test.each([
  ["an owner makes somebody merger", owner, undefined, "merger", undefined],
  ["an owner takes a merger's role away", owner, "merger", undefined, undefined],
  ["an owner makes a second owner", owner, "read", "owner", "only a hub admin makes a second owner"],
  ["an owner lowers another owner", owner, "owner", "read", "only a hub admin takes an owner's role away"],
  ["an admin makes a second owner", { role: undefined, isAdmin: true }, undefined, "owner", undefined],
  ["an admin removes an owner", { role: undefined, isAdmin: true }, "owner", undefined, undefined],
  ["a merger lets somebody read", { role: "merger", isAdmin: false }, undefined, "read", /only an owner/],
  ["a stranger makes themselves owner", { role: undefined, isAdmin: false }, undefined, "owner", /only an owner/],
] as const)("%s", (_what, giver, before, after, refusal) => {
  const said = whyNotGrant(giver, before, after);
  if (refusal instanceof RegExp) expect(said).toMatch(refusal);
  else expect(said).toBe(refusal);
});
