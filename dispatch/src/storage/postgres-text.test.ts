import { expect, test } from "vitest";
import { jsonOf } from "./postgres-text.ts";

test.each([
  ["NUL", "before\0after", "beforeafter"],
  ["half of a character", "a\ud83cb", "a\ufffdb"],
  ["a whole character", "a🌈b", "a🌈b"],
  ["a backslash before what looks like NUL", "\\u0000", "\\u0000"],
  ["nothing special", "plain", "plain"],
])("text with %s becomes what PostgreSQL can keep", (_what, text, kept) => {
  expect(JSON.parse(jsonOf({ deep: [{ text }] }))).toEqual({ deep: [{ text: kept }] });
});
