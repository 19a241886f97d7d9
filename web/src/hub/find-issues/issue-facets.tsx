import { type contribute, describeWithheld } from "@nest/protocol";
import { Facet } from "../../shared/filters/facet.tsx";
import { FilterBar } from "../../shared/filters/filter-bar.tsx";
import { FilterField } from "../../shared/filters/filter-field.tsx";
import type { FindSearch } from "./find-search.ts";

export interface IssueFacetsProps {
  readonly search: FindSearch;
  readonly show: (change: Partial<FindSearch>) => void;
  /** How many of the found issues have which value; undefined until the hub has said so. */
  readonly facets: contribute.QueueReply["facets"];
}

/** In place of a reason why an issue is withheld. */
const OFFER = "offer";

/** What issues are found by, besides a text: each value says how many have it. */
export function IssueFacets({ search, show, facets }: IssueFacetsProps) {
  return (
    <FilterBar search={search} show={show}>
      <Facet label="Repository" chosen={search.repo} values={facets?.repo} choose={(repo) => show({ repo })} />
      <Facet label="Label" chosen={search.label} values={facets?.label} choose={(label) => show({ label })} />
      <Facet label="Author" chosen={search.author} values={facets?.author} choose={(author) => show({ author })} />
      <Facet
        label="Stands"
        placeholder="On offer or not"
        chosen={search.stands}
        values={[{ name: OFFER }, ...(facets?.reason ?? [])]}
        wordsOf={(name) => (name === OFFER ? "on offer" : describeWithheld(name).label)}
        choose={(stands) => show({ stands })}
      />
      <FilterField label="Changed from" type="date" value={search.since} change={(since) => show({ since })} />
      <FilterField label="Changed to" type="date" value={search.until} change={(until) => show({ until })} />
    </FilterBar>
  );
}
