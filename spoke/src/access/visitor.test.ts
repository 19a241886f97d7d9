import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { type VisitorRules, visitorOf } from "./visitor.ts";

const rules: VisitorRules = {
  hubProxied: true,
  trustedProxies: ["10.1.0.0/16", "192.0.2.7", "nonsense"],
  proxyAuth: new Secret("proxy-secret"),
};
const owner = ["X-Nest-User", "ada", "X-Nest-Role", "owner"];

test.each<[string, string, readonly string[], string]>([
  ["from this machine", "127.0.0.1", owner, "owner"],
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
  const visitor = visitorOf({ peer, rawHeaders }, rules);
  expect(visitor.kind === "known" ? visitor.role : visitor.because).toBe(expected);
});

test("without a hub's proxy in front, the headers are nobody's", () => {
  expect(visitorOf({ peer: "127.0.0.1", rawHeaders: owner }, { ...rules, hubProxied: false })).toEqual({
    kind: "refused",
    because: "no session",
  });
});
