import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanDeclared, cleanFacts, DECLARED_LENGTH } from "./facts.ts";

test("the hub truncates every declared field to 64 characters and strips control characters", () => {
  expect(cleanDeclared(`2.1.197\u001b[31m\u0000 (Claude\r\n\tCode)\u202e`)).toBe("2.1.197[31m (Claude Code)");
  expect([...(cleanDeclared("🦊".repeat(200)) ?? "")]).toHaveLength(DECLARED_LENGTH);
  expect(cleanDeclared(" \u0000\n ")).toBeUndefined();
  expect(cleanDeclared(42)).toBeUndefined();
});

test("cleaning a fact never throws, whatever it is", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const cleaned = cleanDeclared(value);
      expect(cleaned === undefined || [...cleaned].length <= DECLARED_LENGTH).toBe(true);
    }),
  );
});

test("a fact that is unavailable or of an unknown name is omitted", () => {
  expect(cleanFacts({ os: "linux", arch: null, favourite_colour: "green" })).toEqual({ os: "linux" });
  expect(cleanFacts(undefined)).toEqual({});
});
