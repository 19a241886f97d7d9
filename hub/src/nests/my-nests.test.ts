import { HostedNestRecord } from "@nest/protocol";
import { expect, test } from "vitest";
import { myNests } from "./my-nests.ts";
import type { Person } from "./roles.ts";

const record = (id: string, more: object = {}) =>
  HostedNestRecord.parse({ id, owner: "ada", status: "running", ...more });
const records = [
  record("hosted-a", { project_name: "Zoo", created_at: "2026-01-01", cluster_id: "one" }),
  record("hosted-b", { owner: "bob", org: "acme", primary_repo: "shop", created_at: "2026-03-01", status: "error" }),
  record("hosted-c", { owner: "", status: "available", created_at: "2026-02-01", cluster_id: "one" }),
];
const person = (login: string, nests: Record<string, string> = {}, isAdmin = false): Person => ({
  login,
  user: { nests, blocked: false },
  isAdmin,
});
const known = {
  heardAt: () => 0,
  isOnline: () => false,
  differences: (id: string) => (id === "hosted-b" ? 2 : 0),
};
const list = (who: Person, filter: object = {}) => myNests(records, who, { sort: "name", ...filter }, known);
const ids = (who: Person, filter: object = {}) => list(who, filter).matching.map(({ id }) => id);

test("lists a nest for its owner and for anybody with a role on it, though no heartbeat ever came", () => {
  expect(ids(person("ada"))).toEqual(["hosted-a"]);
  expect(ids(person("bob", { "hosted-a": "read" }))).toEqual(["hosted-b", "hosted-a"]);
  expect(ids(person("eve"))).toEqual([]);
});

test("lists all for the hub admin", () => {
  expect(ids(person("root", {}, true))).toHaveLength(3);
});

test("counts what matches by status, all that may be seen, and what is owned", () => {
  expect(list(person("ada", {}, true), { cluster: "one" })).toMatchObject({
    total: 3,
    byStatus: { running: 1, available: 1 },
    used: 1,
  });
});

test("counts the other statuses too while one of them is chosen", () => {
  const { byStatus, matching } = list(person("ada", {}, true), { status: "error" });
  expect([byStatus, matching.length]).toEqual([{ running: 1, error: 1, available: 1 }, 1]);
});

test.each([
  [{ only: "offline" }, ["hosted-a"]],
  [{ only: "differs" }, ["hosted-b"]],
  [{ q: "ACME" }, ["hosted-b"]],
  [{ q: "zoo" }, ["hosted-a"]],
  [{ status: "error" }, ["hosted-b"]],
  [{ sort: "created" }, ["hosted-b", "hosted-c", "hosted-a"]],
  [{ sort: "status" }, ["hosted-c", "hosted-b", "hosted-a"]],
])("filters and orders by %o", (filter, expected) => {
  expect(ids(person("root", {}, true), filter)).toEqual(expected);
});
