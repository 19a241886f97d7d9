import { expect, test } from "vitest";
import { csvCell } from "./csv-cell.ts";

test("a cell with a comma, a quote or a line break is quoted", () => {
  expect(["plain", 'say "no", please', "two\nlines", ""].map(csvCell)).toEqual([
    "plain",
    '"say ""no"", please"',
    '"two\nlines"',
    "",
  ]);
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\ufeff=1", "＝1+1", "＋1", "＠x"])(
  "a cell that a spreadsheet would compute begins with an apostrophe: %j",
  (text) => {
    expect(csvCell(text).replace(/^"/, "").startsWith("'")).toBe(true);
  },
);

test.each([
  ["x;=1+1;y", "x;'=1+1;y"],
  ["x\t@SUM(A1)", "x\t'@SUM(A1)"],
  ["x; ＝cmd", "x; '＝cmd"],
  ["a;b; c", "a;b; c"],
])("so does a formula behind what separates cells elsewhere: %j", (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
