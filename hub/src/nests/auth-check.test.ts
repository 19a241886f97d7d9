import { isProxyProof } from "@nest/auth";
import { Secret, seededRandom, systemClock } from "@nest/kit";
import { beforeEach, expect, test } from "vitest";
import { UserRecord } from "../access/users.ts";
import { AuthCheck, pathOf } from "./auth-check.ts";
import { NestPasses, PASS_COOKIE } from "./nest-pass.ts";

const NEST = "hosted-acme-shop-abcd";
const users = new Map<string, UserRecord>();
const seen = new Set<string>();
let now = 1_000_000;
const passes = new NestPasses({
  master: Buffer.alloc(32, 7),
  clock: { ...systemClock(), now: () => now },
  random: seededRandom(1),
});
const check = new AuthCheck({
  nestOf: async (id) => (id === NEST || id === "other" ? { id, owner: "ada" } : undefined),
  userOf: async (login) => users.get(login.toLowerCase()),
  sessions: {
    whoIs: async (cookies) => {
      const login = cookies.get("session");
      return login === undefined ? undefined : { login, accountId: 1, sid: "s", isFirstAccount: true };
    },
  },
  isAdmin: ({ login, isFirstAccount }) => login === "root" && isFirstAccount,
  passes,
  once: { isFirst: async (name) => !seen.has(name) && seen.add(name) !== undefined },
  dashboardToken: (id) => new Secret(`token of ${id}`),
  now: () => now,
});
const asked = (uri: string, cookies: Record<string, string> = {}, nest = NEST) =>
  check.judge({ nest, uri, cookies: new Map(Object.entries(cookies)) });
const user = (login: string, more: object = {}) =>
  users.set(login, UserRecord.parse({ github_username: login, github_id: 1, first_github_id: 1, ...more }));

beforeEach(() => {
  now = 1_000_000;
  seen.clear();
  users.clear();
  user("ada");
  user("bob", { nests: { [NEST]: "read" } });
  user("eve");
  user("root");
});

test.each([
  ["ada", "owner"],
  ["bob", "read"],
  ["root", "owner"],
])("%s, who is signed in, comes in as %s", async (login, role) => {
  expect(await asked("/", { session: login })).toMatchObject({ kind: "allowed", user: login, role });
});

test("nobody signed in is sent to sign in; somebody without a role is refused", async () => {
  expect(await asked("/")).toEqual({ kind: "signed-out" });
  expect(await asked("/", { session: "eve" })).toMatchObject({ kind: "refused" });
  expect(await asked("/", { session: "ada" }, "no-such-nest")).toMatchObject({ kind: "refused" });
});

test("the ingress is told what it proves itself with, for that nest", async () => {
  const verdict = await asked("/", { session: "ada" });
  const proof = verdict.kind === "allowed" ? verdict.proof : "";
  const proves = (nest: string, role: string) =>
    isProxyProof(proof, new Secret(`token of ${nest}`), { user: "ada", role }, now);
  expect([proves(NEST, "owner"), proves("other", "owner"), proves(NEST, "read")]).toEqual([true, false, false]);
  expect(proof).not.toContain("token of");
});

test.each(["/snapshot", "/leaderboard/x", "/contribute", "/api/contribute/ws", "/api/leaderboard?x=1", "/sso"])(
  "%s is open to everybody, with no identity",
  async (uri) => {
    expect(await asked(uri)).toMatchObject({ kind: "allowed", user: undefined, role: undefined });
  },
);

test.each([
  "/contributes",
  "/contribute/../api/config",
  "/contribute/%2e%2e/api/config",
  "/contribute/..;/api/config",
  "/contribute//../api/config",
  "/contribute\\..\\api",
  "//contribute",
  "/api/config?x=/contribute",
  "/api/config#/contribute",
  "https://other.example/api/config",
  "contribute",
  "",
])("%o is not, whatever it begins with", async (uri) => {
  expect(await asked(uri)).toEqual({ kind: "signed-out" });
});

test("the address may come whole, with scheme and host", () => {
  expect([pathOf("https://n.example/contribute?x=1"), pathOf("/a/b?c")]).toEqual(["/contribute", "/a/b"]);
});

const holder = { login: "bob", accountId: 1, sid: "session-1" };
const door = (nest = NEST) => `/sso?token=${passes.ticket(holder, nest)}`;

test("a ticket is good once, within a minute, for its nest, and buys a pass for that nest alone", async () => {
  const uri = door();
  const first = await asked(uri);
  expect(first).toMatchObject({ kind: "allowed", user: "bob", role: "read" });
  const pass = first.kind === "allowed" ? (first.pass ?? "") : "";
  expect(await asked("/", { [PASS_COOKIE]: pass })).toMatchObject({ user: "bob", role: "read" });
  expect(await asked("/", { [PASS_COOKIE]: pass }, "other")).toEqual({ kind: "signed-out" });
  expect(await asked(uri)).toMatchObject({ user: undefined, role: undefined });
  expect(await asked(door("other"))).toMatchObject({ user: undefined });
  const late = door();
  now += 61_000;
  expect(await asked(late)).toMatchObject({ user: undefined });
});

test("a ticket is none on another address than the door, and a pass is no ticket", async () => {
  expect(await asked(door().replace("/sso", "/api/config"))).toEqual({ kind: "signed-out" });
  expect(await asked(`/sso?token=${passes.pass(holder, NEST)}`)).toMatchObject({ user: undefined });
  expect(await asked("/", { [PASS_COOKIE]: passes.ticket(holder, NEST) })).toEqual({ kind: "signed-out" });
});

test.each([
  ["its session was ended", () => user("bob", { nests: { [NEST]: "read" }, ended_sessions: { "session-1": 2 } })],
  ["its person is blocked", () => user("bob", { nests: { [NEST]: "read" }, blocked: true })],
  ["another account has the login", () => user("bob", { nests: { [NEST]: "read" }, github_id: 2 })],
  ["its person is gone", () => users.delete("bob")],
  ["it has expired", () => (now += 8 * 24 * 3_600_000)],
])("a pass is worth nothing once %s", async (_why, spoil) => {
  const pass = passes.pass(holder, NEST);
  spoil();
  expect(await asked("/", { [PASS_COOKIE]: pass })).toEqual({ kind: "signed-out" });
});

test("a pass lives on without its role, and is refused", async () => {
  const pass = passes.pass(holder, NEST);
  user("bob");
  expect(await asked("/", { [PASS_COOKIE]: pass })).toMatchObject({ kind: "refused" });
});
