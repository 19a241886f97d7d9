import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserStore } from "../access/users.ts";
import { NestPeople } from "./nest-people.ts";

let folder: string;
let users: UserStore;
let people: NestPeople;
let nest: { id: string; owner: string };
const admin = { role: undefined, isAdmin: true } as const;
const owner = { role: "owner", isAdmin: false } as const;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-people-"));
  nest = { id: "hosted-acme-shop-abcd", owner: "ada" };
  await mkdir(join(folder, "saas/nests", nest.id), { recursive: true });
  users = new UserStore(folder, systemClock());
  for (const login of ["ada", "bob", "cyd"]) await users.signedIn({ login });
  people = new NestPeople({
    users,
    clock: systemClock(),
    nestOf: async () => nest,
    folderOf: (id) => join(folder, "saas/nests", id),
    setOwner: async (_id, login) => {
      nest = { ...nest, owner: login };
    },
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a role that is given is kept in the user's record, and replaces the one before", async () => {
  expect(await people.grant(nest.id, owner, { username: "bob", role: "read" })).toBeUndefined();
  expect(await people.grant(nest.id, owner, { username: "BOB", role: "merger" })).toBe("read");
  expect(await people.of(nest)).toEqual([
    { username: "ada", role: "owner" },
    { username: "bob", role: "merger" },
  ]);
  expect((await users.read("bob"))?.nests).toEqual({ [nest.id]: "merger" });
});

test("somebody who has never signed in can be given a role", async () => {
  await people.grant(nest.id, owner, { username: "new-one", role: "read-write" });
  expect(await people.of(nest)).toContainEqual({ username: "new-one", role: "read-write" });
});

test("an owner who never signed in is listed all the same", async () => {
  expect(await people.of({ ...nest, owner: "zoe" })).toContainEqual({ username: "zoe", role: "owner" });
});

test("the last owner stays, whoever asks", async () => {
  for (const giver of [admin, owner]) await expect(people.revoke(nest.id, giver, "ada")).rejects.toThrow();
  await expect(people.revoke(nest.id, admin, "ada")).rejects.toMatchObject({ code: "last_owner" });
  await expect(people.grant(nest.id, admin, { username: "ada", role: "read" })).rejects.toMatchObject({
    code: "last_owner",
  });
});

test("two owners who are removed at once leave one of them", async () => {
  await people.grant(nest.id, admin, { username: "bob", role: "owner" });
  const both = await Promise.allSettled(["ada", "bob"].map((name) => people.revoke(nest.id, admin, name)));
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect((await people.of(nest)).filter(({ role }) => role === "owner")).toHaveLength(1);
});

test("when the owner of the record leaves, another owner takes their place there", async () => {
  await people.grant(nest.id, admin, { username: "bob", role: "owner" });
  expect(await people.revoke(nest.id, admin, "ada")).toBe("owner");
  expect(nest.owner).toBe("bob");
  expect(await people.of(nest)).toEqual([{ username: "bob", role: "owner" }]);
});

test("who asks is kept once, is granted with the role, and can be turned down", async () => {
  await people.request(nest.id, "bob");
  await people.request(nest.id, "Bob");
  await people.request(nest.id, "cyd");
  expect((await people.requests(nest.id)).map(({ username }) => username)).toEqual(["bob", "cyd"]);
  await people.grant(nest.id, owner, { username: "bob", role: "read" });
  await people.deny(nest.id, "cyd");
  expect(await people.requests(nest.id)).toEqual([]);
  await expect(people.deny(nest.id, "cyd")).rejects.toMatchObject({ code: "not_found" });
  await expect(people.request(nest.id, "bob")).rejects.toMatchObject({ code: "conflict" });
});

test("no more than a hundred strangers ask at a time", async () => {
  for (let nth = 0; nth < 100; nth += 1) await people.request(nest.id, `stranger-${nth}`);
  await expect(people.request(nest.id, "one-more")).rejects.toMatchObject({ code: "too_many_requests" });
});

test("a deleted nest is in nobody's record", async () => {
  await people.grant(nest.id, owner, { username: "bob", role: "read" });
  await people.forgetNest(nest.id);
  expect((await users.read("bob"))?.nests).toEqual({});
});
