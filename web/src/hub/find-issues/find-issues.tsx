import "../../shared/filters/filters.css";
import "./find-issues.css";
import { Button, Checkbox } from "@mantine/core";
import { contribute } from "@nest/protocol";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { beginningOf, endOf } from "../../shared/filters/days.ts";
import { ViewsMenu } from "../../shared/filters/views-menu.tsx";
import { plural } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { stringifySearch } from "../../shared/router/search-text.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { IssueLine } from "../operations/issue-line.tsx";
import { FindSearch } from "./find-search.ts";
import { IssueFacets } from "./issue-facets.tsx";
import { SelectedBar } from "./selected-bar.tsx";
import { firstOf, MOST_SELECTED, toggled } from "./selection.ts";

const ROWS = 200;
const ROW_PX = 74;
const nothing: ReadonlySet<string> = new Set();

/** Every issue that the hub knows, on offer or not: found by facets that the address keeps, and acted on many at a time. */
export function FindIssues() {
  const isAdmin = useIsAdmin();
  const [search, show] = useSearchState(FindSearch);
  const [selected, select] = useState(nothing);
  const filter = filterOf(search);
  const list = usePages(["queue", "found", filter], (cursor, signal) =>
    call(contribute.queue, {
      query: { limit: ROWS, cursor, ...(cursor === "" ? ({ facets: "yes" } as const) : {}), ...filter },
      signal,
    }),
  );
  const [first] = list.pages ?? [];
  const found = first?.matching;
  const selectAll = async () => select(firstOf(await keysOf(filter)));
  return (
    <ListPage
      id="issues"
      title="Find issues"
      tools={
        <div className="controls">
          <ViewsMenu />
          {isAdmin ? <ExportButtons filter={filter} /> : undefined}
        </div>
      }
      search={{
        label: "Search issues",
        placeholder: "Name, title, label or login",
        maxLength: 200,
        value: search.q ?? "",
        change: (q) => show({ q: q || undefined }),
      }}
      above={
        <>
          <IssueFacets search={search} show={show} facets={first?.facets} />
          {isAdmin && found !== undefined && found > 0 ? (
            <SelectedBar selected={selected} found={found} selectAll={selectAll} clear={() => select(nothing)} />
          ) : undefined}
        </>
      }
      list={list}
      rowsOf={(page) => page.queue}
      empty="No issue is like that."
      label="Issues"
      rowHeight={ROW_PX}
      keyOf={({ key }) => key}
      show={(item) => (
        <div className="queue-row found-row">
          {isAdmin ? (
            <Checkbox
              aria-label={`Select ${item.key}`}
              checked={selected.has(item.key)}
              onChange={() => select(toggled(selected, item.key))}
            />
          ) : undefined}
          <div className="issue">
            <IssueLine item={item} />
            <p className="because cut">
              {item.withheld === undefined ? "on offer" : <bdi>{item.withheld.because}</bdi>}
            </p>
          </div>
        </div>
      )}
      below={<p className="soft small count-line">{found === undefined ? "" : plural(found, "issue")}</p>}
    />
  );
}

function filterOf({ stands, since, until, ...texts }: FindSearch): contribute.QueueFilter {
  const standing = stands === undefined ? { with: "withheld" as const } : stands === "offer" ? {} : { reason: stands };
  return { ...texts, ...standing, since: beginningOf(since), until: endOf(until) };
}

/** The names of the issues that the filters find, as many as can be selected. */
async function keysOf(filter: contribute.QueueFilter): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const { value } = await call(contribute.queue, { query: { limit: 500, cursor, ...filter } });
    keys.push(...value.queue.map(({ key }) => key));
    cursor = value.next_cursor;
  } while (cursor !== undefined && keys.length < MOST_SELECTED);
  return keys;
}

function ExportButtons({ filter }: { readonly filter: contribute.QueueFilter }) {
  return (["csv", "json"] as const).map((format) => (
    <Button
      key={format}
      component="a"
      href={contribute.exportQueue.path + stringifySearch({ format, ...filter })}
      download
      size="sm"
      variant="default"
    >
      {format.toUpperCase()}
      <span className="hidden"> file of these issues</span>
    </Button>
  ));
}
