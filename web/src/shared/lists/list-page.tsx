import type { ReactNode } from "react";
import { ListPanel, type ListPanelProps } from "./list-panel.tsx";
import { PagedList, type PagedListProps } from "./paged-list.tsx";

export interface ListPageProps<Page, Row>
  extends Pick<ListPanelProps, "id" | "title" | "search" | "filters">,
    PagedListProps<Page, Row> {
  /** Stands at the right of the heading. */
  readonly tools?: ReactNode;
  /** Stands between the search and the rows. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
}

/** A page that is one list, searched and read a page at a time. */
export function ListPage<Page, Row>(props: ListPageProps<Page, Row>) {
  const { id, title, search, filters, tools, above, below, ...rows } = props;
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        {tools}
      </div>
      <ListPanel id={id} title={title} isWholePage search={search} filters={filters}>
        {above}
        <PagedList {...rows} />
        {below}
      </ListPanel>
    </>
  );
}
