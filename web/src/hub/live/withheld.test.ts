import { expect, test } from "vitest";
import { withheldReasons, withheldTotal } from "./withheld.ts";

test("an issue under way is counted as under way and not a second time as withheld", () => {
  const withheld = { leased: 9, failed: 2, claimed: 5 };
  expect(withheldTotal(withheld)).toBe(7);
  expect(withheldReasons(withheld)).toEqual([
    ["claimed", 5],
    ["failed", 2],
  ]);
});
