import { Button, Select } from "@mantine/core";
import { type contribute, describeWithheld } from "@nest/protocol";
import { FilterField } from "../../shared/filters/filter-field.tsx";
import { count } from "../../shared/format/format.ts";
import type { FindSearch } from "./find-search.ts";

export interface IssueFacetsProps {
  readonly search: FindSearch;
  readonly show: (change: Partial<FindSearch>) => void;
  /** How many of the found issues have which value; undefined until the hub has said so. */
  readonly facets: contribute.QueueReply["facets"];
}

const none: FindSearch = {
  q: undefined,
  repo: undefined,
  label: undefined,
  author: undefined,
  stands: undefined,
  since: undefined,
  until: undefined,
};

/** The facets of the issues that were found: each value says how many have it. */
export function IssueFacets({ search, show, facets }: IssueFacetsProps) {
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== "");
  return (
    <fieldset className="filter-bar" aria-label="Filters">
      <Facet label="Repository" chosen={search.repo} values={facets?.repo} choose={(repo) => show({ repo })} />
      <Facet label="Label" chosen={search.label} values={facets?.label} choose={(label) => show({ label })} />
      <Facet label="Author" chosen={search.author} values={facets?.author} choose={(author) => show({ author })} />
      <Select
        size="sm"
        className="filter-field"
        label="Stands"
        placeholder="On offer or not"
        clearable
        data={standings(search.stands, facets?.reason)}
        value={search.stands ?? null}
        onChange={(stands) => show({ stands: stands ?? undefined })}
      />
      <FilterField label="Changed from" type="date" value={search.since} change={(since) => show({ since })} />
      <FilterField label="Changed to" type="date" value={search.until} change={(until) => show({ until })} />
      <Button size="sm" variant="subtle" disabled={!isFiltered} onClick={() => show(none)}>
        Clear
      </Button>
    </fieldset>
  );
}

type Values = readonly { readonly name: string; readonly count: number }[] | undefined;

interface FacetProps {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly values: Values;
  readonly choose: (value: string | undefined) => void;
}

function Facet({ label, chosen, values = [], choose }: FacetProps) {
  const known = values.map(({ name, count: many }) => ({ value: name, label: `${name} (${count(many)})` }));
  // What is chosen can be chosen no more than once, and is there also where nothing has it.
  const isKnown = chosen === undefined || known.some(({ value }) => value === chosen);
  return (
    <Select
      size="sm"
      className="filter-field"
      label={label}
      placeholder="Any"
      searchable
      clearable
      data={isKnown ? known : [{ value: chosen, label: chosen }, ...known]}
      value={chosen ?? null}
      onChange={(value) => choose(value ?? undefined)}
    />
  );
}

function standings(chosen: string | undefined, reasons: Values = []): { value: string; label: string }[] {
  const withheld = reasons.map(({ name, count: many }) => ({
    value: name,
    label: `${describeWithheld(name).label} (${count(many)})`,
  }));
  const isKnown = chosen === undefined || chosen === "offer" || withheld.some(({ value }) => value === chosen);
  return [
    { value: "offer", label: "on offer" },
    ...(isKnown ? [] : [{ value: chosen, label: describeWithheld(chosen).label }]),
    ...withheld,
  ];
}
