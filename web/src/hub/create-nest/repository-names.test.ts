import { expect, test } from "vitest";
import { addTyped, readRepositories, readRepository } from "./repository-names.ts";

test.each([
  ["acme/shop", "acme/shop"],
  [" acme/shop ", "acme/shop"],
  ["https://github.com/acme/shop", "acme/shop"],
  ["https://github.com/acme/shop.git", "acme/shop"],
  ["https://github.com/acme/shop/issues/7?x=1#y", "acme/shop"],
  ["git@github.com:acme/shop.git", "acme/shop"],
  ["shop", "first/shop"],
])("%o is the repository %s", (typed, name) => {
  expect(readRepository(typed, "first")).toEqual({ kind: "repository", name });
});

test.each([
  "acme/../shop",
  "acme/..",
  "a b/shop",
  "acme/shop/more",
  "acme/sh\u0000op",
  "/",
  `acme/${"x".repeat(101)}`,
  "<b>/x",
])("%o is none, and why is said", (typed) => {
  expect(readRepository(typed, undefined)).toMatchObject({ kind: "fault" });
});

test("a bare name needs an owner that is known from before", () => {
  expect(readRepository("shop", undefined)).toEqual({ kind: "fault", because: "shop: give owner/name" });
});

test("several are pasted at once, each is taken once, and later bare names have the first one's owner", () => {
  expect(readRepositories("acme/shop, web\nACME/shop;acme/api", undefined)).toEqual({
    names: ["acme/shop", "acme/web", "acme/api"],
    fault: undefined,
  });
});

test("what was typed is added to the repositories once; nothing typed adds nothing", () => {
  expect(addTyped(["acme/shop"], "SHOP web")).toEqual({ repos: ["acme/shop", "acme/web"], fault: undefined });
  expect(addTyped(["acme/shop"], " ")).toEqual({ repos: ["acme/shop"], fault: undefined });
  expect(addTyped([], "acme/shop a/b/c")).toEqual({ repos: ["acme/shop"], fault: "a/b/c: give owner/name" });
});
