import fc from "fast-check";
import { expect, test } from "vitest";
import { closingReferences } from "./closing-references.ts";

const REPO = "acme/widgets";

function numbers(text: string): string[] {
  return closingReferences(text, REPO).map(({ repo, number }) => `${repo}#${number}`);
}

test.each([
  ["close #1", ["acme/widgets#1"]],
  ["Closes #1", ["acme/widgets#1"]],
  ["CLOSED: #1", ["acme/widgets#1"]],
  ["fix #1", ["acme/widgets#1"]],
  ["fixes: #1", ["acme/widgets#1"]],
  ["fixed #1", ["acme/widgets#1"]],
  ["resolve #1", ["acme/widgets#1"]],
  ["resolves #1 and closes #2", ["acme/widgets#1", "acme/widgets#2"]],
  ["resolved other/thing#3", ["other/thing#3"]],
  ["Fixes Acme/Widgets#4", ["acme/widgets#4"]],
  ["Fixes https://github.com/acme/widgets/issues/5.", ["acme/widgets#5"]],
  ["Fixes https://github.com/other/thing/issues/6#issuecomment-1", ["other/thing#6"]],
  ["(fixes #7)", ["acme/widgets#7"]],
  ["**fixes #7**", ["acme/widgets#7"]],
  ["fixes #1, fixes #1", ["acme/widgets#1"]],
  ["one\nfixes #8\ntwo", ["acme/widgets#8"]],
])("%j closes %j", (text, closed) => {
  expect(numbers(text)).toEqual(closed);
});

test.each([
  "see #1",
  "prefixes #1",
  "fixes 1",
  "fixes#1",
  "fixing #1",
  "fixes #0",
  "fixes #12abc",
  "fixes\n\n#1",
  "fixes https://elsewhere.example/acme/widgets/issues/1",
  "fixes https://github.com.evil.example/acme/widgets/issues/1",
  "fixes https://github.com/acme/widgets/pull/1",
  "`fixes #1`",
  "``a ` fixes #1``",
  "```\nfixes #1\n```",
  "~~~js\nfixes #1\n```\nfixes #2\n~~~",
  "```\nfixes #1 in a fence that never ends",
  "<!-- fixes #1 -->",
])("%j closes nothing", (text) => {
  expect(numbers(text)).toEqual([]);
});

test("what stands between and after code is read", () => {
  expect(numbers("`a` fixes #1 `b`\n```\nfixes #2\n```\nfixes #3, a lone ` fixes #4")).toEqual([
    "acme/widgets#1",
    "acme/widgets#3",
    "acme/widgets#4",
  ]);
});

test("the web base of an Enterprise server counts, with its path", () => {
  const text = "Fixes https://code.example/git/acme/widgets/issues/9";
  expect(closingReferences(text, REPO, "https://code.example/git/")).toEqual([{ repo: REPO, number: 9 }]);
  expect(closingReferences(text, REPO)).toEqual([]);
});

test("any text gives only whole numbers of named repositories, each once", () => {
  const pieces = fc.constantFrom(
    "fixes ",
    "closes: ",
    "#",
    "12",
    "`",
    "```\n",
    "a/b",
    "https://github.com/",
    "issues/",
    " ",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
      const found = closingReferences(parts.join(""), REPO);
      expect(new Set(found.map(({ repo, number }) => `${repo}#${number}`)).size).toBe(found.length);
      for (const { repo, number } of found) {
        expect(repo).toMatch(/^[\w.-]+\/[\w.-]+$/);
        expect(Number.isSafeInteger(number) && number > 0).toBe(true);
      }
    }),
  );
});

test("a keyword before a reference is found in any surroundings of plain words", () => {
  const words = fc.array(fc.constantFrom("so", "that", "it", "works", ",", "\n"), { maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 1e9 }), words, (before, number, after) => {
      const text = `${before.join(" ")} fixes #${number} ${after.join(" ")}`;
      expect(closingReferences(text, REPO)).toEqual([{ repo: REPO, number }]);
    }),
  );
});

test.each([
  ["backticks", "`".repeat(200_000)],
  ["backtick runs of growing length", Array.from({ length: 600 }, (_, n) => "`".repeat(n)).join(" ")],
  ["keywords", "fixes ".repeat(60_000)],
  ["keywords with spaces", `fixes${" ".repeat(300_000)}`],
  ["names", `fixes ${"a".repeat(300_000)}`],
  ["dotted names", `fixes ${"a.".repeat(150_000)}`],
  ["addresses", `fixes https://${"a/".repeat(150_000)}`],
  ["many addresses", "fixes https://github.com/a/a/a/a/a/issues/".repeat(10_000)],
  ["comments", "<!--".repeat(100_000)],
  ["fences", "```\n".repeat(80_000)],
])("a long hostile text of %s is read in linear time", (_, text) => {
  const started = performance.now();
  closingReferences(text, REPO);
  expect(performance.now() - started).toBeLessThan(2_000);
});
