import type { ReactNode } from "react";
import { Panel } from "../layout/panel.tsx";
import { SearchField, type SearchFieldProps } from "./search-field.tsx";

export interface ListPanelProps {
  readonly id: string;
  readonly title: string;
  /** How many, beside the title. */
  readonly tally?: string | undefined;
  /** Stands at the right of the title. */
  readonly tools?: ReactNode;
  readonly search: SearchFieldProps;
  /** What else narrows the list, before the search field. */
  readonly filters?: ReactNode;
  /** The page has this list alone: the heading of the page is its heading too. */
  readonly isWholePage?: boolean;
  readonly children: ReactNode;
}

/** A list with what narrows it above: filters and a search, both kept in the address by whoever uses it. */
export function ListPanel({ id, title, tally, tools, search, filters, isWholePage = false, children }: ListPanelProps) {
  const bar = (
    <div className="panel-bar">
      {filters}
      <SearchField {...search} />
    </div>
  );
  if (isWholePage)
    return (
      <section className="panel tall" id={id} aria-label={title}>
        {bar}
        {children}
      </section>
    );
  return (
    <Panel id={id} title={title} tally={tally} tools={tools}>
      {bar}
      {children}
    </Panel>
  );
}
