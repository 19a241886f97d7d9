import { describeOutcome, failureKinds, taskOutcomes, tasks, tiers } from "@nest/protocol";
import { Facet, type FacetValue } from "../../shared/filters/facet.tsx";
import { FilterBar } from "../../shared/filters/filter-bar.tsx";
import { FilterField } from "../../shared/filters/filter-field.tsx";
import type { FindTasksSearch } from "./find-tasks-search.ts";

export interface TaskFacetsProps {
  readonly search: FindTasksSearch;
  readonly show: (change: Partial<FindTasksSearch>) => void;
  /** How many of the found tasks have which value; undefined until the hub has said so. */
  readonly facets: tasks.TaskFacets | undefined;
}

/** Every way in which a task stands or has ended, as the hub finds it. */
const endings: Readonly<Record<string, string>> = Object.fromEntries([
  ["under_way", describeOutcome(undefined, undefined).words],
  ...taskOutcomes.map((outcome) => [outcome, describeOutcome(outcome, undefined).words]),
  ...["no_work_needed", "blocked"].map((verdict) => [verdict, describeOutcome("completed", verdict).words]),
]);

/** The tier of the contributor when the task was given. */
const tiersThen = [...tiers.filter((tier) => tier !== "revoked"), tasks.UNKNOWN];

/** What tasks are found by, besides a text: each value says how many have it. */
export function TaskFacets({ search, show, facets }: TaskFacetsProps) {
  return (
    <FilterBar search={search} show={show}>
      <Facet
        label="Ended"
        placeholder="However"
        chosen={search.outcome}
        values={counted(Object.keys(endings), facets?.outcome)}
        wordsOf={(name) => endings[name] ?? name}
        choose={(outcome) => show({ outcome })}
      />
      <Facet
        label="Kind of failure"
        chosen={search.failure_kind}
        values={counted(failureKinds, facets?.failure_kind)}
        choose={(failure_kind) => show({ failure_kind })}
      />
      <Facet
        label="Repository"
        chosen={search.repo}
        values={facets?.repo}
        takesOther
        choose={(repo) => show({ repo })}
      />
      <Facet
        label="Contributor"
        chosen={search.contributor}
        values={facets?.contributor}
        takesOther
        choose={(contributor) => show({ contributor })}
      />
      {(["backend", "model", "version"] as const).map((name) => (
        <Facet
          key={name}
          label={{ backend: "Backend", model: "Model", version: "Relay version" }[name]}
          chosen={search[name]}
          values={facets?.[name]}
          wordsOf={wordsOfDeclared}
          takesOther
          choose={(value) => show({ [name]: value })}
        />
      ))}
      <Facet
        label="Tier then"
        chosen={search.tier}
        values={counted(tiersThen, facets?.tier)}
        wordsOf={wordsOfDeclared}
        choose={(chosen) => show({ tier: chosen === tasks.UNKNOWN ? chosen : tiers.find((tier) => tier === chosen) })}
      />
      <FilterField label="Given from" type="date" value={search.since} change={(since) => show({ since })} />
      <FilterField label="Given to" type="date" value={search.until} change={(until) => show({ until })} />
    </FilterBar>
  );
}

function wordsOfDeclared(name: string): string {
  return name === tasks.UNKNOWN ? "not recorded" : name;
}

/** All values that there can be, each with how many have it. */
function counted(names: readonly string[], values: readonly FacetValue[] = []): FacetValue[] {
  return names.map((name) => ({ name, count: values.find((value) => value.name === name)?.count }));
}
