import { expect, test } from "vitest";
import { cutBytes, plainLine, plainText } from "./text.ts";

test("terminal escapes, control characters and direction overrides are gone, words and line feeds stay", () => {
  expect(plainText("a\u001b[31mred\u001b]0;title\u0007\r\nb\u0000\u202e\u061cc\u001b")).toBe("ared\nbc");
  expect(plainLine(" one\n\ttwo  three ")).toBe("one two three");
});

test("a cut falls between characters and stays under the limit", () => {
  for (let limit = 3; limit < 12; limit += 1) {
    const cut = cutBytes("zażółć gęślą", limit);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
    expect(cut).not.toContain("\ufffd");
  }
  expect(cutBytes("short", 5)).toBe("short");
});
