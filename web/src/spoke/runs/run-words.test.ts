import { expect, test } from "vitest";
import { diffWords, linkWords, triggerWords, usageWords } from "./run-words.ts";

test.each([
  [{ trigger: "schedule" }, "in its turn"],
  [{ trigger: "person", by: "ada" }, "set to work by ada"],
  [{ trigger: "restart", by: "ada" }, "after a restart by ada"],
] as const)("%j is said as %s", (run, said) => {
  expect(triggerWords(run)).toBe(said);
});

test("what a run changed and used is said in numbers, and what is not reported is not made up", () => {
  expect(diffWords({ files: 2, added: 1200, removed: 3 })).toBe("2 files, +1,200 −3");
  expect(diffWords({ files: 0, added: 0, removed: 0 })).toBe("no changes left behind");
  expect(usageWords({ tokens: 1 })).toBe("1 token");
  expect(usageWords({ tokens: 5000, cost_usd: 0.126 })).toBe("5,000 tokens, $0.13");
  expect(usageWords({})).toBe("not reported");
});

test("a pull request is named as people write it", () => {
  expect(linkWords("http://code.test/acme/shop/pull/12")).toBe("acme/shop#12");
  expect(linkWords("https://code.test/elsewhere")).toBe("https://code.test/elsewhere");
});
