import "./filters.css";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";

type Search = Readonly<Record<string, string | undefined>>;

export interface FilterBarProps<Filters extends Search> {
  readonly search: Filters;
  readonly show: (change: Partial<Filters>) => void;
  readonly children: ReactNode;
}

/** The filters of a list, and a button that clears them all. */
export function FilterBar<Filters extends Search>({ search, show, children }: FilterBarProps<Filters>) {
  const clear = () =>
    show(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])) as Partial<Filters>);
  return (
    <fieldset className="filter-bar" aria-label="Filters">
      {children}
      <Button size="sm" variant="subtle" disabled={!isFiltered(search)} onClick={clear}>
        Clear
      </Button>
    </fieldset>
  );
}

/** Whether anything narrows a list. */
export function isFiltered(search: Search): boolean {
  return Object.values(search).some((value) => value !== undefined && value !== "");
}
