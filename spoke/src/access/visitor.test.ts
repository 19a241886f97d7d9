import { proxyProof } from "@nest/auth";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { doorkeeper, type VisitorRules } from "./visitor.ts";

const rules: VisitorRules = {
  hubProxied: true,
  trustedProxies: ["10.1.0.0/16", "192.0.2.7", "nonsense"],
  proxyAuth: new Secret("proxy-secret"),
  now: () => 1_000_000,
  strangersSee: "nothing",
};
const owner = ["X-Nest-User", "ada", "X-Nest-Role", "owner"];
const asking = (remoteAddress: string, rawHeaders: readonly string[]) => ({
  socket: { remoteAddress },
  rawHeaders: [...rawHeaders],
});

test.each<[string, string, readonly string[], string]>([
  ["from this machine", "127.0.0.1", owner, "owner"],
  ["from this machine by IPv6", "::1", owner, "owner"],
  ["from a trusted network", "::ffff:10.1.2.3", owner, "owner"],
  ["from a trusted address", "192.0.2.7", ["x-nest-role", "read"], "read"],
  ["from elsewhere with the proxy's proof", "203.0.113.9", [...owner, "X-Nest-Proxy-Auth", "proxy-secret"], "owner"],
  ["from elsewhere", "203.0.113.9", owner, "no role"],
  ["from elsewhere with a wrong proof", "203.0.113.9", [...owner, "X-Nest-Proxy-Auth", "x"], "no role"],
  ["with no role", "127.0.0.1", [], "no role"],
  ["with a role that does not exist", "127.0.0.1", ["X-Nest-Role", "root"], "no role"],
  ["with the role twice", "127.0.0.1", ["X-Nest-Role", "read", "x-nest-role", "owner"], "no role"],
  ["with two roles in one", "127.0.0.1", ["X-Nest-Role", "owner, owner"], "no role"],
])("a request %s: %s", (_what, peer, rawHeaders, expected) => {
  const visitor = doorkeeper(rules).judge(asking(peer, rawHeaders));
  expect(visitor.kind === "known" ? visitor.role : visitor.because).toBe(expected);
});

test("the hub's proof counts from anywhere, for the user and the role in it and no others", () => {
  const proof = proxyProof(new Secret("proxy-secret"), { user: "bob", role: "read" }, 1_000_000);
  const headers = (user: string, role: string) => [
    "X-Nest-User",
    user,
    "X-Nest-Role",
    role,
    "X-Nest-Proxy-Auth",
    proof,
  ];
  const judge = (user: string, role: string) => doorkeeper(rules).judge(asking("203.0.113.9", headers(user, role)));
  expect(judge("bob", "read")).toEqual({ kind: "known", login: "bob", role: "read" });
  expect(judge("bob", "owner").kind).toBe("stranger");
  expect(judge("ada", "read").kind).toBe("stranger");
  expect(doorkeeper({ ...rules, now: () => 2_000_000 }).judge(asking("203.0.113.9", headers("bob", "read"))).kind).toBe(
    "stranger",
  );
});

test("without a hub's proxy in front, the headers are nobody's", () => {
  const keeper = doorkeeper({ ...rules, hubProxied: false });
  expect(keeper.judge(asking("127.0.0.1", owner))).toEqual({ kind: "stranger", because: "no session" });
  expect(keeper.isFromProxy(asking("192.0.2.7", owner))).toBe(false);
});

test("where everybody reads, nobody known is a reader and whoever is known keeps their role", () => {
  const keeper = doorkeeper({ ...rules, strangersSee: "public" });
  expect(keeper.judge(asking("203.0.113.9", owner))).toEqual({
    kind: "reader",
    because: "no role",
    sees: "public",
  });
  expect(keeper.judge(asking("192.0.2.7", owner))).toEqual({ kind: "known", login: "ada", role: "owner" });
});

test("any program on this machine may say a role, and only a proxy that was named answers for other names", () => {
  const keeper = doorkeeper(rules);
  expect(keeper.isFromNamedProxy(asking("127.0.0.1", owner))).toBe(false);
  expect(keeper.isFromNamedProxy(asking("10.1.9.9", []))).toBe(true);
});

test("a session counts where no hub's proxy is in front, and nowhere else", () => {
  const sessionOf = (token: string | undefined) =>
    token === "good" ? ({ login: "may", role: "merger" } as const) : undefined;
  const asked = asking("203.0.113.9", ["Cookie", "other=1; nest_session=good", ...owner]);
  const standalone = doorkeeper({ ...rules, hubProxied: false, sessionOf });
  expect(standalone.judge(asked)).toEqual({ kind: "known", login: "may", role: "merger" });
  expect(standalone.judge(asking("127.0.0.1", ["Cookie", "nest_session=bad; nest_session=good"]))).toMatchObject({
    kind: "stranger",
  });
  expect(doorkeeper({ ...rules, sessionOf }).judge(asked)).toEqual({ kind: "stranger", because: "no role" });
});

test("in a container a proxy that can prove itself has to, on loopback too: the agents are there as well", () => {
  const keeper = doorkeeper({ ...rules, inContainer: true });
  expect(keeper.judge(asking("127.0.0.1", owner)).kind).toBe("stranger");
  expect(keeper.judge(asking("127.0.0.1", [...owner, "X-Nest-Proxy-Auth", "proxy-secret"])).kind).toBe("known");
  expect(doorkeeper({ ...rules, inContainer: true, proxyAuth: undefined }).judge(asking("127.0.0.1", owner)).kind).toBe(
    "known",
  );
});

test("what this machine may see is not for those whom a proxy on it brings from elsewhere", () => {
  const keeper = doorkeeper({ ...rules, hubProxied: false, trustedProxies: [], strangersSee: "everything" });
  expect(keeper.judge(asking("127.0.0.1", []))).toMatchObject({ kind: "reader", sees: "everything" });
  for (const header of ["X-Forwarded-For", "x-forwarded-host", "Forwarded"])
    expect(keeper.judge(asking("127.0.0.1", [header, "203.0.113.9"])).kind).toBe("stranger");
});
