import { inspect } from "node:util";
import { expect, test } from "vitest";
import { redactor, Secret } from "./secret.ts";

test("a secret prints as [secret] however it is printed", () => {
  const secret = new Secret("ghp_abcdefghijkl");
  expect([`${secret}`, JSON.stringify({ secret }), inspect({ secret })].join(" ")).not.toContain("ghp_");
  expect(secret.reveal()).toBe("ghp_abcdefghijkl");
});

test("known secrets become [secret], the longer one first, and short words stay", () => {
  const clean = redactor(["token-12345678", "token-12345678-and-more", "abc", undefined]);
  expect(clean("x token-12345678-and-more y token-12345678 abc")).toBe("x [secret] y [secret] abc");
});

test("where secrets overlap, nothing of either is left", () => {
  const clean = redactor(["abcdefghij", "ghijklmnop", "aaaaaaaa"]);
  expect(clean("x abcdefghijklmnop y")).toBe("x [secret] y");
  expect(clean("aaaaaaaaaaaa!")).toBe("[secret]!");
  expect(clean("abcdefghijabcdefghij")).toBe("[secret][secret]");
});
