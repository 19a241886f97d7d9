import "../../shared/filters/filters.css";
import { Button, Select } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import { capitalised, count } from "../../shared/format/format.ts";
import { type ChosenFacets, facetCounts, relayFacets } from "./relay-facets.ts";

export interface RelayFacetBarProps {
  /** Every connected relay, whatever is chosen. */
  readonly relays: readonly contribute.FleetRelay[];
  readonly chosen: ChosenFacets;
  readonly choose: (change: ChosenFacets) => void;
}

const none: ChosenFacets = { tier: undefined, backend: undefined, model: undefined, version: undefined };

/** Relays by tier, backend, model and version of the protocol; each value says how many have it. */
export function RelayFacetBar({ relays, chosen, choose }: RelayFacetBarProps) {
  return (
    <fieldset className="filter-bar" aria-label="Filters of relays">
      {relayFacets.map((facet) => {
        const known = facetCounts(relays, facet).map(([value, many]) => ({
          value,
          label: `${value} (${count(many)})`,
        }));
        const value = chosen[facet];
        const isKnown = value === undefined || known.some((one) => one.value === value);
        return (
          <Select
            key={facet}
            size="sm"
            className="filter-field"
            label={capitalised(facet)}
            placeholder="Any"
            clearable
            data={isKnown ? known : [{ value, label: `${value} (0)` }, ...known]}
            value={value ?? null}
            onChange={(next) => choose({ [facet]: next ?? undefined })}
          />
        );
      })}
      <Button size="sm" variant="subtle" onClick={() => choose(none)}>
        Clear
      </Button>
    </fieldset>
  );
}
