import type { contribute } from "@nest/protocol";

/** What relays are found by, beside a text; each is kept in the address as `relay_NAME`. */
export const relayFacets = ["tier", "backend", "model", "version"] as const;
export type RelayFacet = (typeof relayFacets)[number];

/** What is chosen of each; absent: any. */
export type ChosenFacets = Readonly<Partial<Record<RelayFacet, string | undefined>>>;

/** What a relay that declared nothing of a kind counts as. */
export const UNDECLARED = "not declared";

/** A relay's value of a facet; `version` is that of the protocol. */
export function facetOf(relay: contribute.FleetRelay, facet: RelayFacet): string {
  switch (facet) {
    case "tier":
      return relay.trust_tier;
    case "backend":
      return relay.cli_backend ?? UNDECLARED;
    case "model":
      return relay.model ?? UNDECLARED;
    case "version":
      return relay.protocol.declared ?? UNDECLARED;
  }
}

/** Whether a relay has every value that was chosen. */
export function hasFacets(relay: contribute.FleetRelay, chosen: ChosenFacets): boolean {
  return relayFacets.every((facet) => chosen[facet] === undefined || facetOf(relay, facet) === chosen[facet]);
}

/** How many of these relays have which value of a facet, the most frequent first. */
export function facetCounts(
  relays: readonly contribute.FleetRelay[],
  facet: RelayFacet,
): readonly (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const relay of relays) {
    const value = facetOf(relay, facet);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([one, first], [other, second]) => second - first || one.localeCompare(other));
}
