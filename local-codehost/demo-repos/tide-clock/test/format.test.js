import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime, parseTime } from "../src/format.js";

test("a time is written with two digits each", () => {
  assert.equal(formatTime(65), "01:05");
});

test("a written time is read as minutes", () => {
  assert.equal(parseTime("06:30"), 390);
});
