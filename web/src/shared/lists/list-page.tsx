import type { ReactNode } from "react";
import { ListPanel, type ListPanelProps } from "./list-panel.tsx";
import { PagedList, type PagedListProps } from "./paged-list.tsx";

export interface ListPageProps<Page, Row>
  extends Pick<ListPanelProps, "id" | "title" | "search" | "filters">,
    PagedListProps<Page, Row> {
  /** Stands between the search and the rows. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
}

/** A page that is one list, searched and read a page at a time. */
export function ListPage<Page, Row>({ id, title, search, filters, above, below, ...rows }: ListPageProps<Page, Row>) {
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
      </div>
      <ListPanel id={id} title={title} isWholePage search={search} filters={filters}>
        {above}
        <PagedList {...rows} />
        {below}
      </ListPanel>
    </>
  );
}
