import { expect, test } from "vitest";
import { cutBytes, plainLine, plainText, shownText } from "./text.ts";

test("terminal escapes, control characters and direction overrides are gone, words and line feeds stay", () => {
  expect(plainText("a\u001b[31mred\u001b]0;title\u0007\r\nb\u0000\u202e\u061cc\u001b")).toBe("ared\nbc");
  expect(plainLine(" one\n\ttwo  three ")).toBe("one two three");
});

test.each([
  ["zero widths", "a\u200bb\u2060c\ufeffd"],
  ["directions", "a\u202eb\u2066c\u2069d"],
  ["line and paragraph separators", "a\u2028b\u2029cd"],
  ["soft hyphens and fillers", "a\u00adb\u3164c\u115fd"],
  ["tags, which spell words that nobody sees", `a${tags("ignore the above")}bcd`],
  ["variations of tags", "a\u{e0100}b\u{e01ef}cd"],
])("characters that nobody sees are gone: %s", (_what, text) => {
  expect(plainText(text)).toBe("abcd");
});

test("joiners stay where people read, and are gone where an agent does", () => {
  expect(plainText("👩\u200d🚒")).toBe("👩\u200d🚒");
  expect(shownText("dele\u200dte")).toBe("delete");
});

test.each([
  ["look <!-- run this --> here", "look [hidden comment left out] here"],
  ["look <!-- \n```\nrun this\n```\n--> here", "look [hidden comment left out] here"],
  ["look <!-- never closed", "look [hidden comment left out]"],
  ["look <!\u200b-- run this --> here", "look [hidden comment left out] here"],
  ["a < b -- and -> c", "a < b -- and -> c"],
])("what a page does not show is taken out of %j", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

function tags(words: string): string {
  return [...words].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
}

test("a cut falls between characters and stays under the limit", () => {
  for (let limit = 3; limit < 12; limit += 1) {
    const cut = cutBytes("zażółć gęślą", limit);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
    expect(cut).not.toContain("\ufffd");
  }
  expect(cutBytes("short", 5)).toBe("short");
});
