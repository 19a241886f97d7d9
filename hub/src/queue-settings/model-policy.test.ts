import { compileList, PatternJudge } from "@nest/dispatch";
import { expect, test } from "vitest";
import { ModelPolicy } from "./model-policy.ts";

const LIST = "contribute_allow_models";

test("a list with regular expressions is unknown until it was held against the model, then known", async () => {
  await using judge = new PatternJudge();
  const policy = new ModelPolicy(compileList(LIST, ["claude-*", "/^gpt-.*codex$/"], judge), true);
  expect(policy.verdict("claude-opus")).toBe(true);
  expect(policy.verdict("gpt-5")).toBeUndefined();
  expect(await policy.judge("gpt-5")).toBe(true);
  expect(policy.verdict("gpt-5")).toBe(false);
  expect(await policy.judge("gpt-5-codex")).toBe(true);
  expect(policy.verdict("gpt-5-codex")).toBe(true);
});

test("a model that cannot be judged is not let in", async () => {
  const judge = new PatternJudge();
  await judge.close();
  const policy = new ModelPolicy(compileList(LIST, ["/^gpt-/"], judge), true);
  expect(await policy.judge("gpt-5")).toBe(false);
  expect(policy.verdict("gpt-5")).toBeUndefined();
});

test("wildcards, an empty list and one that refuses nobody answer at once", () => {
  expect(new ModelPolicy(compileList(LIST, ["claude-*"]), true).verdict("gpt-5")).toBe(false);
  expect(new ModelPolicy(compileList(LIST, ["/^gpt-/"]), false).verdict("gpt-5")).toBe(true);
  expect(new ModelPolicy(compileList(LIST, []), true).verdict("gpt-5")).toBe(true);
});
