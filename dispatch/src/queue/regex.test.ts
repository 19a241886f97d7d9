import { seededRandom } from "@nest/kit";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { runToEnd } from "./patterns.ts";
import { Regex } from "./regex.ts";
import { writtenSize } from "./regex-size.ts";

const random = seededRandom(7);
const below = (most: number) => Math.floor(random.fraction() * most);
const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;

const PARTS =
  "a b K \\d \\w \\W [a-c] [^a] . \\b \\B ^ $ é ſ \\pL \\PL 😀 [[:alpha:]] \\n (?s:.) (?m:^) (?m:$) \\x41 \\Qa.b\\E [\\]a-c-] \\A \\z".split(
    " ",
  );
const CHARACTERS = ["a", "b", "k", "K", "\u212a", "é", "ſ", "s", "1", " ", "\n", "😀", "_", "\ud83d", "-", "."];

function expression(depth = 0): string {
  const inner = () => expression(depth + 1);
  switch (depth > 3 ? 0 : below(8)) {
    case 3:
    case 4:
      return inner() + inner();
    case 5:
      return `(${inner()}|${inner()})`;
    case 6:
      return `(?:${inner()})${oneOf(["*", "+", "?", "*?", "+?", "??", "{2,}", "{3}"])}`;
    case 7:
      return `(${inner()}){${below(3)},${below(3) + 2}}`;
    default:
      return oneOf(PARTS);
  }
}

test("what is found in steps is what the library finds, and no program is larger than it was written to be", () => {
  for (let times = 0; times < 500; times += 1) {
    const source = expression();
    const library = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    expect(writtenSize(source).program, source).toBeGreaterThanOrEqual(library.programSize());
    const regex = new Regex(source);
    for (let texts = 0; texts < 4; texts += 1) {
      const text = Array.from({ length: below(9) }, () => oneOf(CHARACTERS)).join("");
      expect([source, text, runToEnd(regex.search(text))]).toEqual([source, text, library.matcher(text).find()]);
    }
  }
});
