import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./search-text.ts";

test("what is typed into a search stays text in the address, whatever it looks like", () => {
  for (const text of ["007", "true", '{"a":1}', "a b&c=d#e", "ä"]) {
    expect(parseSearch(stringifySearch({ q: text }))).toEqual({ q: text });
  }
});

test("what is not said is not in the address", () => {
  expect(stringifySearch({ q: "", tier: undefined })).toBe("");
  expect(stringifySearch({ tier: undefined, sort: "login", q: "x" })).toBe("?q=x&sort=login");
});
