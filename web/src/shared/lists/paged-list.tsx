import type { ReactNode } from "react";
import { Empty, LoadFailed, Loading } from "../states/states.tsx";
import type { Pages } from "./use-pages.ts";
import { VirtualList, type VirtualListProps } from "./virtual-list.tsx";

export interface PagedListProps<Page, Row> extends Omit<VirtualListProps<Row>, "rows" | "onEnd"> {
  readonly list: Pages<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** Shown when there are no rows. */
  readonly empty: ReactNode;
}

/** A list that is read page by page while the person scrolls; also shows that it is loading, empty or failed. */
export function PagedList<Page, Row>({ list, rowsOf, empty, ...rest }: PagedListProps<Page, Row>) {
  const { pages, problem, again, more } = list;
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (pages === undefined) return <Loading rows={8} />;
  const rows = pages.flatMap(rowsOf);
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return <VirtualList {...rest} rows={rows} onEnd={more} />;
}
