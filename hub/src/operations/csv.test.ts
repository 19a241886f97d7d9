import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";

test("a cell with a comma, a quote or a line break is quoted", () => {
  expect(csvLine(["plain", 'say "no", please', "two\nlines", 12, undefined])).toBe(
    'plain,"say ""no"", please","two\nlines",12,\r\n',
  );
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\ufeff=1", "＝1+1", "＋1", "＠x"])(
  "a cell that a spreadsheet would compute begins with an apostrophe: %j",
  (text) => {
    expect(csvLine([text]).replace(/^"/, "").startsWith("'")).toBe(true);
  },
);

test("a number stays a number, also below zero", () => {
  expect(csvLine([-5])).toBe("-5\r\n");
});
