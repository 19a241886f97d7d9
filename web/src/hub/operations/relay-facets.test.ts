import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { facetCounts, hasFacets } from "./relay-facets.ts";

function relay(more: Partial<contribute.FleetRelay>): contribute.FleetRelay {
  return { trust_tier: "newcomer", protocol: { verdict: "current" }, ...more } as contribute.FleetRelay;
}
const relays = [
  relay({ cli_backend: "claude", model: "sonnet", protocol: { declared: "1.2", verdict: "current" } }),
  relay({ cli_backend: "claude", trust_tier: "trusted" }),
  relay({ cli_backend: "codex" }),
];

test("a relay is found by every value that was chosen together, and by what it did not declare", () => {
  const found = (chosen: object) => relays.map((one) => hasFacets(one, chosen));
  expect(found({})).toEqual([true, true, true]);
  expect(found({ backend: "claude" })).toEqual([true, true, false]);
  expect(found({ backend: "claude", tier: "trusted" })).toEqual([false, true, false]);
  expect(found({ version: "1.2" })).toEqual([true, false, false]);
  expect(found({ model: "not declared" })).toEqual([false, true, true]);
});

test("each value says how many have it, the most frequent first", () => {
  expect(facetCounts(relays, "backend")).toEqual([
    ["claude", 2],
    ["codex", 1],
  ]);
  expect(facetCounts(relays, "version")).toEqual([
    ["not declared", 2],
    ["1.2", 1],
  ]);
});
