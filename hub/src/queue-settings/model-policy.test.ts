import { compileList } from "@nest/dispatch";
import { expect, test } from "vitest";
import { ModelPolicy } from "./model-policy.ts";

const LIST = "contribute_allow_models";
const model = "a".repeat(60);

test("a list of costly patterns is not gone through in one turn: it is judged in slices, then known", async () => {
  const costly = Array.from({ length: 20 }, (_, at) => `/(?:a?){${120 + at}}$b/`);
  const policy = new ModelPolicy(compileList(LIST, [...costly, "claude-*"]), true);
  expect(policy.verdict(model)).toBeUndefined();
  await policy.judge(model);
  expect(policy.verdict(model)).toBe(false);
  await policy.judge("claude-opus");
  expect(policy.verdict("claude-opus")).toBe(true);
});

test("a short list, an empty one and one that refuses nobody answer at once", () => {
  const patterns = compileList(LIST, ["claude-*", "/^gpt-.*codex$/"]);
  expect(new ModelPolicy(patterns, true).verdict("gpt-5-codex")).toBe(true);
  expect(new ModelPolicy(patterns, true).verdict("gpt-5")).toBe(false);
  expect(new ModelPolicy(patterns, false).verdict("gpt-5")).toBe(true);
  expect(new ModelPolicy([], true).verdict("gpt-5")).toBe(true);
});
