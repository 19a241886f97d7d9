import assert from "node:assert/strict";
import { test } from "node:test";
import { seeds } from "../src/catalog.js";

test("every seed has a name, a price and months", () => {
  for (const seed of seeds()) {
    assert.equal(typeof seed.name, "string");
    assert.ok(Number.isInteger(seed.cents) && seed.cents > 0);
    assert.equal(seed.sow.length, 2);
  }
});
