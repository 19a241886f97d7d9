import type { nestConfig } from "@nest/protocol";
import { expect, test } from "vitest";
import { hiddenWords, isBeyondReach, runningWords, sourceWords } from "./provenance-words.ts";

const aRow = (changes: Partial<nestConfig.ProvenanceRow> = {}): nestConfig.ProvenanceRow => ({
  key: "hub.url",
  value: "http://hub.test",
  layer: "seed",
  hidden: [],
  ...changes,
});

test("a value of the environment says why an edit has no effect", () => {
  const row = aRow({ layer: "environment", source: "NEST_HUB_URL" });
  expect([sourceWords(row), isBeyondReach(row)]).toEqual(["Set by NEST_HUB_URL: an edit here has no effect.", true]);
});

test("a saved value says who saved it, and what the file says that does not count", () => {
  const row = aRow({
    layer: "dashboard",
    by: "ada",
    hidden: [
      { layer: "seed", value: true },
      { layer: "default", value: 1 },
    ],
  });
  expect(sourceWords(row)).toBe("Saved here by ada.");
  expect(hiddenWords(row)).toEqual(["nest.yaml says yes, which does not count."]);
});

test("what the running nest still goes by is said, also where that is no", () => {
  expect(runningWords(aRow({ running: false }))).toBe("After a restart. Until then: no.");
  expect(runningWords(aRow())).toBeUndefined();
});

test("a file is named without the folders that lead to it", () => {
  expect(sourceWords(aRow({ source: "/etc/nest/nest.yaml" }))).toBe("From nest.yaml.");
});

test("of a default there is nothing to say", () => {
  expect(sourceWords(aRow({ layer: "default" }))).toBeUndefined();
});
