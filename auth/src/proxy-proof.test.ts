import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { isProxyProof, proxyProof } from "./proxy-proof.ts";

const token = new Secret("a".repeat(64));
const bob = { user: "bob", role: "read" };
const proof = proxyProof(token, bob, 1_000_000);

test("proves one user with one role to one nest, for five minutes", () => {
  expect(isProxyProof(proof, token, bob, 1_299_000)).toBe(true);
  expect(isProxyProof(proof, token, bob, 1_301_000)).toBe(false);
});

test.each([
  ["another role", token, { user: "bob", role: "owner" }],
  ["another user", token, { user: "ada", role: "read" }],
  ["nobody", token, { user: undefined, role: undefined }],
  ["another nest", new Secret("b".repeat(64)), bob],
])("does not prove %s", (_what, key, whom) => {
  expect(isProxyProof(proof, key, whom, 1_000_000)).toBe(false);
});

test("a proof of nobody proves nobody", () => {
  const nobody = proxyProof(token, { user: undefined, role: undefined }, 1_000_000);
  expect(isProxyProof(nobody, token, bob, 1_000_000)).toBe(false);
  expect(isProxyProof(nobody, token, { user: undefined, role: undefined }, 1_000_000)).toBe(true);
});

test("the nest's own token proves any", () => {
  expect(isProxyProof("a".repeat(64), token, bob, 0)).toBe(true);
});

test.each(["", ".", "9999999999.", "9999999999.ff", `x${proof}`, `${proof}.1`, proof.replace(/^\d+/, "99999999999")])(
  "%o proves nothing",
  (given) => {
    expect(isProxyProof(given, token, bob, 1_000_000)).toBe(false);
  },
);
