import { expect, test } from "vitest";
import { csvOf } from "./csv.ts";

test("commas, quotes and line ends are kept within a cell, and nothing is left empty by mistake", () => {
  expect(
    csvOf([
      ["name", "n"],
      ['a "b", c\nd', 0],
      [undefined, -1.5],
    ]),
  ).toBe('name,n\r\n"a ""b"", c\nd",0\r\n,-1.5\r\n');
});

test.each(["=HYPERLINK(1)", "+1", "-1", "@sum", "\tx"])("%j of a stranger is no formula of a spreadsheet", (name) => {
  expect(csvOf([[name]])).toBe(`'${name}\r\n`);
});
