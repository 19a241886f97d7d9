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
  /** Further filters, left of the search field. */
  readonly filters?: ReactNode;
  /** The list is the whole page, so the page's heading serves it too. */
  readonly isWholePage?: boolean;
  readonly children: ReactNode;
}

/** A list below its filters and its search field. The caller keeps both in the address. */
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
