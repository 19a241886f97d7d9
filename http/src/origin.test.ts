import { expect, test } from "vitest";
import { isFromElsewhere } from "./origin.ts";

const hosts = ["nest.example:3002", undefined];

test.each<[string, Record<string, string>, boolean]>([
  ["a program says nothing", {}, false],
  ["its own page", { origin: "https://nest.example:3002", "sec-fetch-site": "same-origin" }, false],
  ["a typed address", { "sec-fetch-site": "none" }, false],
  ["another site", { origin: "https://evil.example" }, true],
  ["another port", { origin: "https://nest.example" }, true],
  ["a page without an origin", { origin: "null" }, true],
  ["a sister site", { "sec-fetch-site": "same-site" }, true],
  ["another site that hides its origin", { "sec-fetch-site": "cross-site" }, true],
])("%s", (_who, headers, elsewhere) => {
  expect(isFromElsewhere({ method: "POST", headers }, hosts)).toBe(elsewhere);
});
