import assert from "node:assert/strict";
import { test } from "node:test";
import { stationNames } from "../src/stations.js";

test("every station has a name of its own", () => {
  const names = stationNames();
  assert.ok(names.length > 0);
  assert.equal(new Set(names).size, names.length);
});
