import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";

test("a line is its cells with a line break behind them; a number stays a number, also below zero", () => {
  expect(csvLine(["a,b", -5, undefined, "=1"])).toBe(`"a,b",-5,,'=1\r\n`);
});
