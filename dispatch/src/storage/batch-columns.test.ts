import { expect, test } from "vitest";
import { noChanges } from "../leases/changes.ts";
import { batchColumnsOf, columnNames } from "./batch-columns.ts";

/** The `detail` array of a batch whose activity lines have these details. */
function detailsOf(...details: (string | undefined)[]): string | undefined {
  const activity = details.map((detail, id) => ({ id, at: 1, login: "ada", action: "failed", detail }));
  return batchColumnsOf({ ...noChanges(), activity })[columnNames.indexOf("activity_detail")];
}

test.each([
  ["plain text", "plain", '{"plain"}'],
  ["nothing", undefined, "{NULL}"],
  ["text that reads like nothing", "NULL", '{"NULL"}'],
  ["empty text", "", '{""}'],
  ["what ends an element or an array", 'a","b"}', '{"a\\",\\"b\\"}"}'],
  ["a backslash", "C:\\new", '{"C:\\\\new"}'],
  ["a line break", "one\ntwo", '{"one\ntwo"}'],
  ["NUL", "before\0after", '{"beforeafter"}'],
  ["half of a character", "a\ud83cb", '{"a\ufffdb"}'],
])("a column with %s is an array that PostgreSQL reads as that", (_what, detail, array) => {
  expect(detailsOf(detail)).toBe(array);
});

test("a column has one element a row, and as many columns are given as are named", () => {
  expect(detailsOf("one", undefined, "three")).toBe('{"one",NULL,"three"}');
  expect(batchColumnsOf(noChanges())).toEqual(columnNames.map(() => "{}"));
});
