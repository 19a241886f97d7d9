import { Button, Select } from "@mantine/core";
import { describeOutcome, failureKinds, taskOutcomes, tasks, tiers } from "@nest/protocol";
import { FilterField } from "../../shared/filters/filter-field.tsx";
import type { FindTasksSearch } from "./find-tasks-search.ts";

export interface TaskFacetsProps {
  readonly search: FindTasksSearch;
  readonly show: (change: Partial<FindTasksSearch>) => void;
  readonly isFiltered: boolean;
}

const none: FindTasksSearch = {
  q: undefined,
  repo: undefined,
  contributor: undefined,
  outcome: undefined,
  failure_kind: undefined,
  backend: undefined,
  tier: undefined,
  model: undefined,
  version: undefined,
  since: undefined,
  until: undefined,
};

/** Every way in which a task stands or has ended, as the hub finds it. */
const endings: readonly { readonly value: string; readonly label: string }[] = [
  { value: "under_way", label: describeOutcome(undefined, undefined).words },
  ...taskOutcomes.map((outcome) => ({ value: outcome, label: describeOutcome(outcome, undefined).words })),
  ...["no_work_needed", "blocked"].map((verdict) => ({
    value: verdict,
    label: describeOutcome("completed", verdict).words,
  })),
];

/** The tier of the contributor when the task was given. */
const tierChoices: readonly { readonly value: string; readonly label: string }[] = [
  ...tiers.filter((tier) => tier !== "revoked").map((tier) => ({ value: tier, label: tier })),
  { value: tasks.UNKNOWN, label: "not recorded" },
];

/** What tasks are found by, besides a text. */
export function TaskFacets({ search, show, isFiltered }: TaskFacetsProps) {
  return (
    <fieldset className="filter-bar" aria-label="Filters">
      <Select
        size="sm"
        className="filter-field"
        label="Ended"
        placeholder="However"
        clearable
        data={[...endings]}
        value={search.outcome ?? null}
        onChange={(outcome) => show({ outcome: outcome ?? undefined })}
      />
      <Select
        size="sm"
        className="filter-field"
        label="Kind of failure"
        placeholder="Any"
        clearable
        data={[...failureKinds]}
        value={search.failure_kind ?? null}
        onChange={(kind) => show({ failure_kind: kind ?? undefined })}
      />
      <FilterField label="Repository" placeholder="owner/name" value={search.repo} change={(repo) => show({ repo })} />
      <FilterField
        label="Contributor"
        placeholder="Whole login"
        value={search.contributor}
        change={(contributor) => show({ contributor })}
      />
      <FilterField
        label="Backend"
        placeholder="claude"
        value={search.backend}
        change={(backend) => show({ backend })}
      />
      <FilterField
        label="Model"
        placeholder="opus, or unknown"
        value={search.model}
        change={(model) => show({ model })}
      />
      <FilterField
        label="Relay version"
        placeholder="1.2, or unknown"
        value={search.version}
        change={(version) => show({ version })}
      />
      <Select
        size="sm"
        className="filter-field"
        label="Tier then"
        placeholder="Any"
        clearable
        data={[...tierChoices]}
        value={search.tier ?? null}
        onChange={(chosen) => show({ tier: chosen === tasks.UNKNOWN ? chosen : tiers.find((tier) => tier === chosen) })}
      />
      <FilterField label="Given from" type="date" value={search.since} change={(since) => show({ since })} />
      <FilterField label="Given to" type="date" value={search.until} change={(until) => show({ until })} />
      <Button size="sm" variant="subtle" disabled={!isFiltered} onClick={() => show(none)}>
        Clear
      </Button>
    </fieldset>
  );
}
