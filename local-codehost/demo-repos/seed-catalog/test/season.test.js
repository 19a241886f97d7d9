import assert from "node:assert/strict";
import { test } from "node:test";
import { isInSeason } from "../src/season.js";

test("the middle of a season is in it, and another time of the year is not", () => {
  assert.equal(isInSeason(4, 3, 6), true);
  assert.equal(isInSeason(11, 3, 6), false);
});
