import { expect, test } from "vitest";
import { usageIn } from "./usage.ts";

test.each([
  ["codex, without a terminal", "done\ntokens used\n12,345\n", { tokens: 12_345 }],
  ["codex, at its end", "Token usage: total=3,210 input=3,000 output=210\n", { tokens: 3210 }],
  ["a total that is printed twice", "tokens used: 100\nmore\ntokens used: 250\n", { tokens: 250 }],
  [
    "aider, after each answer",
    "Tokens: 1.2k sent, 300 received. Cost: $0.01 message, $0.01 session.\nTokens: 2k sent, 1k cache hit, 500 received. Cost: $0.02 message, $0.03 session.\n",
    { tokens: 4000, costUsd: 0.03 },
  ],
  ["a summary with a cost", "Total cost:            $0.55\nTotal tokens: 1.5m\n", { tokens: 1_500_000, costUsd: 0.55 }],
  ["a CLI that says nothing", "I changed three files.\n", {}],
])("what a run used is read from %s", (_who, output, expected) => {
  expect(usageIn(output)).toEqual(expected);
});

test("an output of many megabytes is read in no time, from its end", () => {
  expect(usageIn(`${"Tokens: ".repeat(2_000_000)}\ntokens used: 7\n`)).toEqual({ tokens: 7 });
});
